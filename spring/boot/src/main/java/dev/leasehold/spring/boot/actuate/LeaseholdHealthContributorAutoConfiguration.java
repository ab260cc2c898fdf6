package dev.leasehold.spring.boot.actuate;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** This auto-configuration makes the health indicator {@code leasehold}. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(Leasehold.class)
@ConditionalOnEnabledHealthIndicator("leasehold")
public final class LeaseholdHealthContributorAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdHealthContributorAutoConfiguration() {}

    @Bean
    LastContact leaseholdLastContact() {
        return new LastContact();
    }

    @Bean
    @ConditionalOnMissingBean(name = "leaseholdHealthIndicator")
    HealthIndicator leaseholdHealthIndicator(Leasehold leasehold, LastContact contact) {
        return new LeaseholdHealthIndicator(leasehold, contact);
    }
}
