package dev.leasehold.spring;

import dev.leasehold.LockOptions;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * A locked method runs only while it holds a distributed lock: acquired before, given back after, also when it throws.
 *
 * <pre>{@code
 * @Locked("invoice:#{#id}")
 * @Transactional
 * public void send(long id) { … }
 * }</pre>
 *
 * <p><b>The name</b> is a template: {@code #{…}} is an expression of Spring (SpEL), in which the parameters are variables by
 * their names ({@code #id}; also {@code #p0}), the bean is the root object and {@code @name} another bean; {@code ${…}} is a
 * placeholder, resolved at start-up. An expression that gives null or an empty text makes the call fail: the method never
 * runs without the lock, nor under one that others share by accident. A sum in an expression fails the start: in it a missing
 * value would become the text "null".
 *
 * <p><b>How it works.</b> By a proxy around the bean, as with {@code @Transactional}: a call of the object's own methods among
 * themselves does not pass it; see {@link LockedTemplate} for those. The lock lies outside {@code @Transactional}, so it is
 * given back after the commit, and inside {@code @Retryable}, {@code @ConcurrencyLimit} and {@code @Async}. A method that
 * could not be intercepted (private, static, final, package-private in a base class elsewhere) or whose annotation has a mistake fails the start.
 *
 * <p><b>Asynchronous methods.</b> With a {@link java.util.concurrent.CompletionStage}, a reactive type or a Kotlin {@code
 * suspend} function, nothing blocks, and the lock is held until the result has completed, bound to no thread. The method is
 * called on the client's executor then, if it was not annotated with {@code @Async}; a stream is subscribed to on Reactor's
 * threads for work that may block, and cancelled if the lease is lost. Results that are worked on after the method has returned
 * and that cannot be followed ({@link java.util.concurrent.Callable}, {@link java.util.stream.Stream}) are refused, and so is a
 * method that is declared to return {@code Object}, which does not say when its work is done.
 *
 * <p><b>The lease.</b> A parameter of type {@link dev.leasehold.Lease} is given the lease, whatever the caller passes for it; a
 * {@code @Scheduled} method, which has no parameters, asks {@link CurrentLease}.
 * If the lease is lost, the thread of a method that blocks is interrupted, and the call fails with {@link
 * dev.leasehold.LeaseLostException}, whose cause is what the method has thrown. What must never be written twice has to check {@link dev.leasehold.Lease#token()}.
 *
 * <p><b>Exceptions</b>, beside the method's own: {@link dev.leasehold.LockBusyException}, {@link
 * dev.leasehold.StoreUnavailableException}, {@link LockInsideTransactionException} (the method has not run); {@link
 * dev.leasehold.LeaseLostException} (it has). A lock is not re-entrant: a locked method that calls another bean's method with the same
 * name waits for itself, until its wait is over.
 *
 * <p>May be used as a meta-annotation. Times are texts: {@code 10s}, {@code 5m}, {@code PT1H}, {@code ${…}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(LockedReflection.class)
public @interface Locked {

    /** {@return the template of the lock's name} */
    @AliasFor("name")
    String value() default "";

    /** {@return the template of the lock's name} */
    @AliasFor("value")
    String name() default "";

    /**
     * Returns how long to wait for the lock's holder.
     *
     * @return a duration, or {@code forever}; empty for the property {@code leasehold.max-wait} (one minute by default) with
     *     {@link OnBusy#THROW}, and for none with {@link OnBusy#SKIP}
     */
    String maxWait() default "";

    /**
     * Returns the time after which the lock is free if this process dies: the lease, which is renewed while the method runs.
     *
     * @return a duration of 100 ms at least; empty for the client's default
     */
    String lease() default "";

    /**
     * Returns how long the lock stays taken at least, counted from when it was acquired: see {@link LockOptions#minHold()}.
     *
     * @return a duration; empty for the client's default
     */
    String minHold() default "";

    /**
     * Returns for how long the lease is renewed at most: see {@link LockOptions#maxHold()}.
     *
     * @return a duration, or {@code forever}; empty for the client's default
     */
    String maxHold() default "";

    /** {@return whether the method's thread is interrupted when the lease is lost} */
    boolean interruptOnLoss() default true;

    /** {@return what a call comes to if the lock is still held after the wait} */
    OnBusy onBusy() default OnBusy.THROW;

    /** {@return what happens when a transaction is running already} */
    OuterTransaction transaction() default OuterTransaction.FAIL;

    /**
     * Returns the client, where there are several.
     *
     * @return the name or a qualifier of a bean of type {@link dev.leasehold.Leasehold}; empty for the only or primary one
     */
    String client() default "";
}
