package dev.leasehold.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This annotation has locks held elsewhere for the time of a test. Waits of the code under test pass a thousand times
 * as fast as real time.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BusyLock {

    /** {@return the names of the locks} */
    String[] value();
}
