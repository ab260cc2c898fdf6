package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.integration.LeaseholdLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * This auto-configuration makes Spring Integration's lock registry, where Spring Integration is there and the
 * application has none.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(Leasehold.class)
public final class LeaseholdIntegrationAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdIntegrationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    LeaseholdLockRegistry leaseholdLockRegistry(Leasehold leasehold) {
        return new LeaseholdLockRegistry(leasehold, "integration:");
    }
}
