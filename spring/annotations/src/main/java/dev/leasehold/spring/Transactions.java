package dev.leasehold.spring;

import org.springframework.util.ClassUtils;

/**
 * Transactions tells whether a transaction runs on this thread: never, where Spring's transactions are not on the class
 * path.
 */
final class Transactions {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            Transactions.class.getClassLoader());

    private Transactions() {}

    static boolean isRunning() {
        return PRESENT && TransactionHolds.isRunning();
    }

    /** Returns whether a transaction runs that would commit, or roll back, what is written now. */
    static boolean isOpen() {
        return isRunning() && !TransactionHolds.isCompleting();
    }
}
