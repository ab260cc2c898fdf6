package dev.leasehold.spring;

import dev.leasehold.LockException;
import org.jspecify.annotations.Nullable;

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

    /** Takes the name of the transaction, as do those below: null for none. */
    LockInsideTransactionException(String lock, @Nullable String transaction) {
        this("the lock '" + lock + "' was asked for inside the running transaction" + named(transaction)
                + ": it would be given back before the commit, and the next holder would not see what was written under it."
                + " Nothing was locked or run. Call the method outside of the transaction (the lock lies outside of its own"
                + " @Transactional), give the method a transaction of its own (REQUIRES_NEW), or say transaction ="
                + " HOLD_UNTIL_COMPLETION");
    }

    /** Makes an exception for a transaction that is completing, which can hold nothing any more. */
    static LockInsideTransactionException ofCompletion(String lock, @Nullable String transaction) {
        return new LockInsideTransactionException("the lock '" + lock + "' was asked for while the transaction"
                + named(transaction)
                + " completes: nothing commits any more what is written in it, and it can hold no lock. Nothing was locked or"
                + " run. Give the method a transaction of its own (REQUIRES_NEW), or call it after the transaction");
    }

    /** Makes an exception for work of a leader. */
    static LockInsideTransactionException ofOffice(String office, @Nullable String transaction) {
        return new LockInsideTransactionException("a method of the leader of '" + office
                + "' was called inside the running transaction" + named(transaction)
                + ": the next leader could begin before the commit, and would not see what was written. Nothing was run. Call"
                + " the method outside of the transaction (the leader's check lies outside of its own @Transactional), or"
                + " give the method a transaction of its own (REQUIRES_NEW)");
    }

    private static String named(@Nullable String transaction) {
        return transaction == null ? "" : " '" + transaction + "'";
    }
}
