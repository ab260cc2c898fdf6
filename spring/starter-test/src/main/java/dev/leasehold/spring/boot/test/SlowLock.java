package dev.leasehold.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This annotation has a lock held elsewhere at the start of a test, and given back after a while, by the time of the
 * locks.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface SlowLock {

    /** {@return the name of the lock} */
    String value();

    /** {@return after how many milliseconds it is given back} */
    long millis();
}
