package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.shedlock.LeaseholdLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** This auto-configuration makes ShedLock's lock provider, where ShedLock is there and has none. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(Leasehold.class)
public final class LeaseholdShedLockAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdShedLockAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockProvider.class)
    LeaseholdLockProvider leaseholdLockProvider(Leasehold leasehold) {
        return new LeaseholdLockProvider(leasehold);
    }
}
