package dev.leasehold.spring;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * This configuration switches on {@link Locked} and {@link LeaderOnly}, and leaves {@link Elections} and {@link
 * LockedTemplate} to the configuration that imports it, such as Spring Boot's auto-configuration.
 */
@Configuration(proxyBeanMethods = false)
@Import(LeaseholdConfiguration.class)
public class LockedAnnotations {

    /** Makes the configuration. Called by Spring. */
    public LockedAnnotations() {}
}
