package dev.leasehold.spring;

import dev.leasehold.Leasehold;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A client whose locks are in this JVM. */
@Configuration(proxyBeanMethods = false)
@EnableLeasehold
class LocksInMemory {

    @Bean
    static Leasehold leasehold() {
        return Leasehold.connect("memory:");
    }
}
