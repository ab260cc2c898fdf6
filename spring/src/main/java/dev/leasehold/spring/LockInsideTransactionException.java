package dev.leasehold.spring;

import dev.leasehold.LockException;

/**
 * A locked method was called inside a transaction, where its lock would have been given back before the commit. Nothing was
 * locked, and the method has not run.
 */
public final class LockInsideTransactionException extends LockException {

    private static final long serialVersionUID = 1L;

    LockInsideTransactionException(String lock, String transaction) {
        super("the lock '" + lock + "' was asked for inside the running transaction " + transaction
                + ": it would be given back before the commit, and the next holder would not see what was written under it."
                + " Nothing was locked or run. Call the method outside of the transaction (the lock lies outside of its own"
                + " @Transactional), or say transaction = HOLD_UNTIL_COMPLETION");
    }
}
