package dev.leasehold.spring.boot.actuate;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** This auto-configuration makes the endpoint {@code leasehold}, and has {@code info} tell of elections. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(Leasehold.class)
public final class LeaseholdEndpointAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    LeaseholdEndpoint leaseholdEndpoint(Leasehold leasehold) {
        return new LeaseholdEndpoint(leasehold);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnEnabledInfoContributor("leasehold")
    LeaseholdInfoContributor leaseholdInfoContributor(Elections elections) {
        return new LeaseholdInfoContributor(elections);
    }
}
