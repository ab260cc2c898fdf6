package dev.leasehold.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The application is a bank, as small as can be, of which several processes run at once. */
@SpringBootApplication
@EnableScheduling
public class Application {

    /** Starts one process. */
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }
}
