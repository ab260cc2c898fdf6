package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LockException;
import dev.leasehold.spring.internal.NameTemplates;
import dev.leasehold.spring.internal.RunningBodies;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A blocking call runs a body under a lock on the calling thread, with regard to the transaction that may be running there.
 *
 * @param client what the lock belongs to: within one transaction, a lock of the same client and name is entered again
 * @param inTransaction whether a transaction is running that will commit after the call
 * @param template the template of the lock's name, null for none
 */
record BlockingCall(
        Object client,
        DistributedLock lock,
        Duration maxWait,
        boolean inTransaction,
        OuterTransaction transaction,
        @Nullable String template,
        RunningBodies running) {

    /** An outcome says whether a call ran its body, and with which result. */
    record Outcome<T extends @Nullable Object>(
            boolean ran, @Nullable T result) {}

    <T extends @Nullable Object> Outcome<T> run(LeaseFunction<T, ?> body) throws Exception {
        if (inTransaction) {
            if (transaction == OuterTransaction.FAIL) {
                throw TransactionHolds.refusal(lock.name());
            }
            return runUntilCompletion(body);
        }
        Scope<T> scope = new Scope<>(body);
        NameTemplates.set(template);
        try {
            boolean ran = lock.tryRun(maxWait, scope::run);
            return new Outcome<>(ran, scope.result);
        } catch (InterruptedException e) {
            throw scope.lease != null ? e : interrupted(e);
        } catch (Exception e) {
            throw lock.options().interruptOnLoss() ? scope.lossOr(e) : e;
        } finally {
            NameTemplates.set(null);
        }
    }

    private <T extends @Nullable Object> Outcome<T> runUntilCompletion(LeaseFunction<T, ?> body) throws Exception {
        Scope<T> scope = new Scope<>(body);
        return TransactionHolds.run(
                this,
                lease -> LeaseScope.run(
                        lease, lock.options().interruptOnLoss(), (LeaseFunction<T, Exception>) scope::call));
    }

    Optional<Lease> acquire() throws InterruptedException {
        NameTemplates.set(template);
        try {
            return lock.tryAcquire(maxWait);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            NameTemplates.set(null);
        }
    }

    /** Makes an exception of an interrupt. Few methods declare one, so it is kept for those that look at the thread. */
    private LockException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LockException(
                "the thread was interrupted while it waited for the lock '" + lock.name()
                        + "'; the lock is not held, and nothing was run",
                e);
    }

    /** A scope is the time in which the body runs. */
    private final class Scope<T extends @Nullable Object> {

        private final LeaseFunction<T, ?> body;
        private @Nullable Lease lease;
        private @Nullable T result;

        Scope(LeaseFunction<T, ?> body) {
            this.body = body;
        }

        void run(Lease given) throws Exception {
            result = call(given);
        }

        /** Returns the loss of the lease, which a failure of the body has among what it suppresses; else the failure. */
        Exception lossOr(Exception failure) {
            for (Throwable suppressed : failure.getSuppressed()) {
                if (lease != null && suppressed instanceof LeaseLostException lost && lost.token() == lease.token()) {
                    return LeaseScope.caused(lost, failure);
                }
            }
            return failure;
        }

        T call(Lease given) throws Exception {
            lease = given;
            NameTemplates.set(null);
            RunningBodies.Body noted = running.enter(Thread.currentThread()::interrupt);
            Lease outer = CurrentLease.set(given);
            try {
                return body.call(given);
            } finally {
                CurrentLease.set(outer);
                noted.leave();
            }
        }
    }
}
