package dev.leasehold.spring.boot.test;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import dev.leasehold.test.TestLeasehold;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;

/** This auto-configuration makes a client on virtual time, in place of the application's. */
@AutoConfiguration(before = LeaseholdAutoConfiguration.class)
public final class TestLeaseholdAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public TestLeaseholdAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TestLeasehold testLeasehold() {
        return TestLeasehold.create();
    }

    @Bean(destroyMethod = "")
    @Primary
    static Leasehold leasehold(TestLeasehold locks) {
        return locks.leasehold();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static PlannedLosses leaseholdPlannedLosses(TestLeasehold locks) {
        return new PlannedLosses(locks);
    }
}
