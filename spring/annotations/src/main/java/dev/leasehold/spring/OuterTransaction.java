package dev.leasehold.spring;

/**
 * This enum says what a locked method does when a transaction is running already as it is called. If the lock were
 * given back at the end of the method, as usual, the next holder would begin before the transaction has committed, and
 * would not see what was written under the lock.
 */
public enum OuterTransaction {

    /**
     * The call fails with {@link LockInsideTransactionException}, before anything is locked. A method whose own
     * {@code @Transactional} suspends the running transaction ({@code REQUIRES_NEW}, {@code NOT_SUPPORTED}) is let in: what it
     * writes is committed before the lock is given back.
     */
    FAIL,

    /**
     * The lock is held until the transaction has completed, and a call for the same lock in the same transaction is let
     * in. A lease that is lost interrupts the method and fails its call, and makes the transaction roll back. This is
     * for methods that block, and refused at start-up for others.
     */
    HOLD_UNTIL_COMPLETION
}
