package dev.leasehold.jdbc.server;

import java.sql.SQLTransactionRollbackException;

/**
 * A replaced row is the failure of a transaction whose row is not the one that it has read: it was carried out again, after
 * others.
 */
public final class RowReplaced extends SQLTransactionRollbackException {

    private static final long serialVersionUID = 1;

    RowReplaced() {
        super("the row of the lock was changed between being locked and being written", "40001");
    }
}
