package dev.leasehold.spring;

import dev.leasehold.LeaseFunction;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.LockOptions;
import dev.leasehold.spring.internal.RunningBodies;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * A locked template runs code under a lock as {@link Locked} runs methods: with regard to a running transaction, and to a
 * shutdown. A body holds the lock until it has returned; a stage that it returns is not waited for: that is {@link
 * dev.leasehold.DistributedLock#callAsync}. For what an annotation cannot say: several locks one after the other, calls within one object. Immutable and
 * thread-safe.
 *
 * <pre>{@code
 * template.withMaxWait(Duration.ofSeconds(5)).execute("invoice:" + id, lease -> send(id, lease.token()));
 * }</pre>
 */
public final class LockedTemplate {

    private static final Duration USUAL_WAIT = Duration.ofMinutes(1);

    private final Leasehold client;
    private final RunningBodies running;
    private final @Nullable LockOptions options;
    private final Duration maxWait;
    private final OuterTransaction transaction;

    private LockedTemplate(
            Leasehold client,
            RunningBodies running,
            @Nullable LockOptions options,
            Duration maxWait,
            OuterTransaction transaction) {
        this.client = client;
        this.running = running;
        this.options = options;
        this.maxWait = maxWait;
        this.transaction = transaction;
    }

    /**
     * Makes a template that waits for a minute and refuses running transactions.
     *
     * @param client whose locks are used
     * @param beans the application's, whose shutdown waits for the bodies
     */
    public LockedTemplate(Leasehold client, BeanFactory beans) {
        this(
                Objects.requireNonNull(client, "client"),
                beans.getBean(RunningBodies.class),
                null,
                USUAL_WAIT,
                OuterTransaction.FAIL);
    }

    /**
     * Changes how long to wait for a lock's holder.
     *
     * @param wait zero or negative means one try, huge values mean without limit
     * @return the changed copy
     */
    public LockedTemplate withMaxWait(Duration wait) {
        return new LockedTemplate(client, running, options, Objects.requireNonNull(wait, "wait"), transaction);
    }

    /**
     * Changes how locks are held.
     *
     * @param changed the options; those of the client by default
     * @return the changed copy
     */
    public LockedTemplate withOptions(LockOptions changed) {
        return new LockedTemplate(client, running, Objects.requireNonNull(changed), maxWait, transaction);
    }

    /**
     * Changes what happens when a transaction is running already.
     *
     * @param changed {@link OuterTransaction#FAIL} by default
     * @return the changed copy
     */
    public LockedTemplate withTransaction(OuterTransaction changed) {
        return new LockedTemplate(client, running, options, maxWait, Objects.requireNonNull(changed));
    }

    /**
     * Calls a body under a lock.
     *
     * @param name the lock's name
     * @param body what to run
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result
     * @throws E what the body has thrown
     * @throws LockBusyException if the lock was still held after the wait; the body has not run
     * @throws dev.leasehold.LeaseLostException if the body ended on a lost lease; its cause is what the body has thrown
     * @throws dev.leasehold.StoreUnavailableException if the store did not answer; the body has not run
     * @throws dev.leasehold.LockException if the thread was interrupted while waiting, and is still marked so; the body has
     *     not run
     * @throws LockInsideTransactionException if a transaction is running and that was not allowed; the body has not run
     */
    public <T extends @Nullable Object, E extends Exception> T execute(String name, LeaseFunction<T, E> body) throws E {
        BlockingCall.Outcome<T> outcome = outcome(name, body);
        if (!outcome.ran()) {
            throw new LockBusyException(name, "a wait of " + maxWait);
        }
        return result(outcome);
    }

    /**
     * Calls a body under a lock, if it is free in time.
     *
     * @param name the lock's name
     * @param body what to run; must not return null
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result; empty if the lock was still held after the wait, and the body has not run
     * @throws E what the body has thrown
     * @throws NullPointerException if the body has returned null
     */
    public <T, E extends Exception> Optional<T> tryExecute(String name, LeaseFunction<T, E> body) throws E {
        BlockingCall.Outcome<T> outcome = outcome(name, body);
        return outcome.ran()
                ? Optional.of(Objects.requireNonNull(outcome.result(), "the body's result"))
                : Optional.empty();
    }

    @SuppressWarnings("unchecked") // What a call throws beside the body's own exceptions is unchecked.
    private <T extends @Nullable Object, E extends Exception> BlockingCall.Outcome<T> outcome(
            String name, LeaseFunction<T, E> body) throws E {
        LockOptions usual =
                options != null ? options : client.lock(name).options().withInterruptOnLoss(true);
        try {
            return new BlockingCall(
                            client,
                            client.lock(name, usual),
                            maxWait,
                            transaction == OuterTransaction.FAIL ? Transactions.isOpen() : Transactions.isRunning(),
                            transaction,
                            null,
                            running)
                    .run(body);
        } catch (Exception e) {
            throw (E) e;
        }
    }

    @SuppressWarnings("NullAway") // The result of a body that has run is a T.
    private static <T extends @Nullable Object> T result(BlockingCall.Outcome<T> outcome) {
        return outcome.result();
    }
}
