package dev.leasehold.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * This annotation switches on {@link Locked} and {@link LeaderOnly}, for applications without Spring Boot. A bean of
 * type {@link dev.leasehold.Leasehold} has to be there; beans of type {@link LockedTemplate} and {@link Elections} are
 * made.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import({LeaseholdConfiguration.class, LeaseholdBeans.class})
public @interface EnableLeasehold {}
