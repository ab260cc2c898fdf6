package dev.leasehold.example;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** This application takes a lock, and never gives it back. It is no Spring Boot configuration, because tests look for one. */
@EnableAutoConfiguration
class AbandoningApplication {

    static @Nullable Lease kept;

    public static void main(String[] args) throws InterruptedException {
        Leasehold leasehold =
                SpringApplication.run(AbandoningApplication.class, args).getBean(Leasehold.class);
        kept = leasehold.lock("job").acquire();
        System.out.println("the lock is held");
    }
}
