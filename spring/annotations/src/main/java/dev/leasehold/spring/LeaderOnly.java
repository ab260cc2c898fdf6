package dev.leasehold.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A leader-only method runs in the instance that leads, and in no other: {@link Elections} holds an election for its office.
 *
 * <p>It runs under the lease of the leader's term, which a parameter of type {@link dev.leasehold.Lease} is given. When the
 * term ends, for whatever reason, the thread is interrupted, and nobody else is elected before the method has ended or the
 * lease has run out; the call then fails with {@link dev.leasehold.LeaseLostException}. Several threads may be in such
 * methods at once. For methods that block; others are refused at start-up (where the type {@code Object} hides it, at the call), as are
 * those that a proxy cannot intercept.
 *
 * <p>A call inside a running transaction fails with {@link LockInsideTransactionException}, because the next leader could begin before
 * its commit; unless the method has a transaction of its own ({@code REQUIRES_NEW}), or an outer leader-only method has begun it.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

    /**
     * Returns the office: the name of the lock that the leader holds. {@code ${…}} is resolved at start-up.
     *
     * @return empty for the default office of {@link Elections}
     */
    String value() default "";

    /** {@return what a call comes to in an instance that does not lead} */
    OnBusy onFollower() default OnBusy.SKIP;
}
