package dev.leasehold.spring;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction that runs on this thread, and the leases that it holds. Not to be loaded where Spring's transactions are missing. */
final class TransactionHolds {

    private TransactionHolds() {}

    static boolean isRunning() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Returns the name of the running transaction, for people. */
    static String name() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "(without a name)" : "'" + name + "'";
    }

    /** Returns the lease that the running transaction holds, if it holds that lock; null otherwise. */
    static @Nullable Lease held(Object client, String lock) {
        for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
            if (one instanceof Hold hold
                    && hold.client == client
                    && hold.lease.name().equals(lock)) {
                return hold.lease;
            }
        }
        return null;
    }

    /** Has the running transaction hold a lease until it has completed. */
    static void hold(Object client, Lease lease) {
        TransactionSynchronizationManager.registerSynchronization(new Hold(client, lease));
    }

    /** A hold lasts as long as a transaction, and lets it commit only while the lease is valid. */
    private record Hold(Object client, Lease lease) implements TransactionSynchronization {

        @Override
        public void beforeCommit(boolean readOnly) {
            lease.ensureValid();
        }

        /** Data may have been written after the loss: the caller gets to know that, though nothing undoes it. */
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
            lease.close();
        }

        /** After all others have been told of the completion. */
        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }
}
