package dev.leasehold.spring.boot.observation;

import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** This auto-configuration sets up metrics and traces. */
@AutoConfiguration(
        before = LeaseholdAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
public final class LeaseholdObservationAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdObservationAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {

        @Bean
        LeaseholdObserver leaseholdObservationObserver(
                ObservationRegistry registry, ObjectProvider<LockObservationConvention> convention) {
            return new ObservationObserver(registry, convention.getIfAvailable());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {

        @Bean
        LeaseholdObserver leaseholdMeterObserver(MeterRegistry registry) {
            return new MeterObserver(registry);
        }
    }
}
