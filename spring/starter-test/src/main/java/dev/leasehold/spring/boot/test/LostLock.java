package dev.leasehold.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This annotation has a lock lost as soon as a method with {@link dev.leasehold.spring.Locked} has it: the method
 * begins, and its lease is over. This happens once in a test.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LostLock {

    /** {@return the name of the lock} */
    String value();
}
