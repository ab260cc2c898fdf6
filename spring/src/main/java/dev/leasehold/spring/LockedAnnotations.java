package dev.leasehold.spring;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The configuration that switches on {@link Locked} and {@link LeaderOnly} and leaves {@link Elections} and {@link
 * LockedTemplate} to whoever imports it, as Spring Boot's auto-configuration does.
 */
@Configuration(proxyBeanMethods = false)
@Import(LeaseholdConfiguration.class)
public class LockedAnnotations {

    /** Made by Spring. */
    public LockedAnnotations() {}
}
