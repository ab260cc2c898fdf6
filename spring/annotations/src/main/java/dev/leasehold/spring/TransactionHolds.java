package dev.leasehold.spring;

import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.spring.internal.RunningBodies;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transaction holds are the leases that the transaction on this thread holds. Not to be loaded where Spring's
 * transactions are missing.
 */
final class TransactionHolds {

    private TransactionHolds() {}

    static boolean isRunning() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Returns whether the transaction on this thread has ended, and only tells so: nothing commits in it any more. */
    static boolean isCompleting() {
        return isRunning() && !TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Returns the refusal of a lock that the running transaction does not allow. */
    static LockInsideTransactionException refusal(String lock) {
        String name = name();
        return isCompleting()
                ? LockInsideTransactionException.ofCompletion(lock, name)
                : new LockInsideTransactionException(lock, name);
    }

    /** Returns the name of the running transaction, null if it has none. */
    static @Nullable String name() {
        return TransactionSynchronizationManager.getCurrentTransactionName();
    }

    /**
     * Runs a body under a lease that the running transaction holds until it has completed: the one that it holds already, or
     * one that is acquired now.
     *
     * @throws LockInsideTransactionException if the transaction is completing, and could hold nothing any more
     */
    static <T extends @Nullable Object> BlockingCall.Outcome<T> run(BlockingCall call, LeaseFunction<T, Exception> body)
            throws Exception {
        String lock = call.lock().name();
        if (isCompleting()) {
            throw refusal(lock);
        }
        Hold hold = held(call.client(), lock);
        if (hold == null) {
            Optional<Lease> acquired = call.acquire();
            if (acquired.isEmpty()) {
                return new BlockingCall.Outcome<>(false, null);
            }
            hold = begin(call, acquired.get());
        }
        hold.enter();
        try {
            return new BlockingCall.Outcome<>(true, body.call(hold.lease));
        } finally {
            hold.leave();
        }
    }

    private static @Nullable Hold held(Object client, String lock) {
        for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
            if (one instanceof Hold hold
                    && hold.client == client
                    && hold.lease.name().equals(lock)) {
                return hold;
            }
        }
        return null;
    }

    private static Hold begin(BlockingCall call, Lease lease) {
        Hold hold = new Hold(call.client(), lease, call.running().enter(Thread.currentThread()::interrupt));
        TransactionSynchronizationManager.registerSynchronization(hold);
        return hold;
    }

    /**
     * A hold lasts as long as a transaction, and lets it commit only while the lease is valid. It is noted as a running body as
     * long, since what the transaction writes is under the lock after the method has returned, too.
     *
     * <p>A transaction may complete on another thread, when its time is over, while a body still runs: then the lease is given
     * back when the last body has returned.
     */
    private static final class Hold implements TransactionSynchronization {

        private final Object client;
        private final Lease lease;
        private final RunningBodies.Body noted;
        private final ReentrantLock guard = new ReentrantLock();
        private int bodies;
        private boolean completed;

        Hold(Object client, Lease lease, RunningBodies.Body noted) {
            this.client = client;
            this.lease = lease;
            this.noted = noted;
        }

        void enter() {
            guard.lock();
            try {
                bodies++;
            } finally {
                guard.unlock();
            }
        }

        void leave() {
            if (isOverWithoutBody()) {
                end();
            }
        }

        private boolean isOverWithoutBody() {
            guard.lock();
            try {
                bodies--;
                return completed && bodies == 0;
            } finally {
                guard.unlock();
            }
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            lease.ensureValid();
        }

        /**
         * Fails if the lease was lost. Data may have been written after the loss: the caller gets to know that, though
         * nothing undoes it.
         */
        @Override
        public void afterCommit() {
            if (!lease.isValid()) {
                throw new LeaseLostException(
                        lease.name(),
                        lease.token(),
                        "it was over at the end of the commit; the transaction has committed all the same");
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (isWithoutBodyAtCompletion()) {
                end();
            }
        }

        private boolean isWithoutBodyAtCompletion() {
            guard.lock();
            try {
                completed = true;
                return bodies == 0;
            } finally {
                guard.unlock();
            }
        }

        private void end() {
            try {
                lease.close();
            } finally {
                noted.leave();
            }
        }

        /** Returns an order after all others, which learn of the completion first. */
        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }
}
