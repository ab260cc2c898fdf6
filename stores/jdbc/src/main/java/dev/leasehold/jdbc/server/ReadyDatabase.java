package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A ready database is one that has been seen: what is known of it, and the ways to carry operations out there.
 *
 * @param context the client's, described as the database can store it
 * @param keys the keys of session locks, or null where rows decide
 * @param limitsWaits whether the source's connections limit how long they wait for an answer
 */
record ReadyDatabase(
        SchemaCheck.Found found,
        Object namespace,
        StoreContext context,
        SingleStatementPath singleStatement,
        TransactionalPath transaction,
        @Nullable SessionKeys keys,
        boolean limitsWaits) {

    ServerSql texts() {
        return found.texts();
    }

    /**
     * Has warnings heeded, and limits how long statements take. Behind a pooler it stops the driver from naming statements, its COMMIT among them: another
     * session may not know the name, or may run another client's statement of that name. The driver goes on using a name that
     * it has once made, so this has to come before the first transaction of a connection.
     */
    void settle(PooledConnection borrowed) throws SQLException {
        borrowed.heed(texts().dialect());
        if (!limitsWaits) {
            borrowed.limitStatements(texts().dialect());
        }
        if (found.throughPooler()) {
            borrowed.keepNoStatements(texts().dialect());
        }
    }
}
