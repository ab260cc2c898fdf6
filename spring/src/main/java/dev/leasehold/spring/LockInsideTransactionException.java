package dev.leasehold.spring;

import dev.leasehold.LockException;

/**
 * A lock inside transaction exception says that a locked method was called inside a transaction, where its lock would
 * have been given back before the commit; or a leader-only method, where the term could have ended before the commit.
 * Nothing was locked, and the method has not run.
 */
public final class LockInsideTransactionException extends LockException {

    private static final long serialVersionUID = 1L;

    private LockInsideTransactionException(String message) {
        super(message);
    }

    LockInsideTransactionException(String lock, String transaction) {
        this("the lock '" + lock + "' was asked for inside the running transaction " + transaction
                + ": it would be given back before the commit, and the next holder would not see what was written under it."
                + " Nothing was locked or run. Call the method outside of the transaction (the lock lies outside of its own"
                + " @Transactional), give the method a transaction of its own (REQUIRES_NEW), or say transaction ="
                + " HOLD_UNTIL_COMPLETION");
    }

    /** Makes an exception for a transaction that is completing, which can hold nothing any more. */
    static LockInsideTransactionException ofCompletion(String lock, String transaction) {
        return new LockInsideTransactionException("the lock '" + lock + "' was asked for while the transaction "
                + transaction + " completes, which cannot hold it any more. Nothing was locked or run. Call the method"
                + " before the completion, or after the transaction");
    }

    /** Makes an exception for work of a leader. */
    static LockInsideTransactionException ofOffice(String office, String transaction) {
        return new LockInsideTransactionException("a method of the leader of '" + office
                + "' was called inside the running transaction " + transaction
                + ": the next leader could begin before the commit, and would not see what was written. Nothing was run. Call"
                + " the method outside of the transaction (the leader's check lies outside of its own @Transactional), or"
                + " give the method a transaction of its own (REQUIRES_NEW)");
    }
}
