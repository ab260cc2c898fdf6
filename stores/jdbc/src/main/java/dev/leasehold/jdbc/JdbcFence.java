package dev.leasehold.jdbc;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.jdbc.fence.FenceDatabase;
import dev.leasehold.jdbc.fence.FenceTable;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC fence guards data in a database with fencing tokens: it refuses a holder with an older token than one that was
 * registered, in the holder's own transaction. So a holder that was stopped, lost its lock meanwhile and goes on without
 * knowing it, cannot harm what its successor does. For PostgreSQL, MariaDB, MySQL, H2 and SQLite.
 *
 * <pre>{@code
 * JdbcFence fence = JdbcFence.standard();
 * try (Lease lease = lock.acquire(); Connection connection = dataSource.getConnection()) {
 *     connection.setAutoCommit(false);
 *     try {
 *         fence.register(connection, "account:42", lease.token());   // before the first read
 *         long balance = read(connection);
 *         write(connection, balance - 100);
 *         connection.commit();
 *     } catch (SQLException | RuntimeException e) {
 *         connection.rollback();
 *         throw e;
 *     }
 * }
 * }</pre>
 *
 * <p><b>Register first, in every transaction</b> that reads or writes the resource under the lock. Registering locks the
 * resource's row in the fence's table until the transaction ends. So an earlier holder that is in the middle of its own
 * transaction is waited for, and what it commits is seen by the reads that follow; one that comes later is refused. Checking
 * the token at writes alone is not enough: a late write can land between the successor's read and its write, and is then
 * overwritten by what the successor made of the older state. If the transaction is rolled back, the token counts as not
 * registered, and what was read in it must not be used. For the same reason register outside of savepoints.
 *
 * <p><b>Readers</b> of a resource that is guarded by a read-write lock {@link #registerShared register shared}. The fence keeps
 * two numbers: the newest token of all, and the newest of a writer. A writer is refused below the first, a reader below the
 * second. So a writer that has lost its lock changes nothing that a later reader has seen.
 *
 * <p>It is right at every isolation level that these databases have, if it comes first. Above READ COMMITTED it fails, as any
 * statement there may, if another transaction has registered since this one's view of the database was taken: with a
 * deadlock, a serialisation failure or, on SQLite, a busy database. Then roll back and run the whole transaction again. At
 * READ COMMITTED, and on H2 at REPEATABLE READ, nothing tells that something was read before it.
 *
 * <p>The fence's table, {@code leasehold_fence}, has to be in the same database as what it guards, and lives and dies with
 * it: a fence that forgets lets old writers in. It is never made in a transaction of the caller's, whom that would commit on
 * some databases; see {@link #createTable}. The lock may live in any store; the tokens of one resource must come from one
 * lock. Everybody who writes the resource must register.
 *
 * <p>Immutable and thread-safe. Methods block for as long as the database does, which is as long as an earlier holder's
 * transaction takes; the connection's own time-outs apply.
 */
public final class JdbcFence {

    private static final int LONGEST = 512;
    private static final int ANSWER_TIMEOUT_MILLIS = 30_000;
    private static final JdbcFence STANDARD = new JdbcFence(null, null, Tables.PREFIX);

    private final @Nullable Product dialect;
    private final @Nullable String schema;
    private final String prefix;

    private JdbcFence(@Nullable Product dialect, @Nullable String schema, String prefix) {
        this.dialect = dialect;
        this.schema = schema;
        this.prefix = prefix;
    }

    /**
     * Returns the fence whose table is {@code leasehold_fence}, where the connection looks first.
     *
     * @return the fence
     */
    public static JdbcFence standard() {
        return STANDARD;
    }

    /**
     * Says which database it is, where its metadata does not tell or tells wrong.
     *
     * @param database the dialect
     * @return a fence with this setting
     */
    public JdbcFence withDialect(JdbcDialect database) {
        return new JdbcFence(Objects.requireNonNull(database, "database").product(), schema, prefix);
    }

    /**
     * Says in which schema the table is; on MariaDB and MySQL, in which database.
     *
     * @param name 1 to 40 letters, digits and underscores, not beginning with a digit
     * @return a fence with this setting
     * @throws IllegalArgumentException if it has another form
     */
    public JdbcFence withSchema(String name) {
        return new JdbcFence(dialect, Tables.checked("the schema", name), prefix);
    }

    /**
     * Says what the name of the table begins with, before {@code fence}: {@code leasehold_} unless told otherwise.
     *
     * @param start 1 to 40 letters, digits and underscores, not beginning with a digit
     * @return a fence with this setting
     * @throws IllegalArgumentException if it has another form
     */
    public JdbcFence withTables(String start) {
        return new JdbcFence(dialect, schema, Tables.checked("the prefix of the tables", start));
    }

    /**
     * Makes the fence's table if it is missing: for a program's start. A user without the right to create tables has an
     * administrator run the statement in {@code dev/leasehold/jdbc/schema/fence-*.sql}, and need not call this.
     *
     * @param dataSource where to borrow a connection. Not one that hands out the connection of a transaction that is under
     *     way, such as Spring's {@code TransactionAwareDataSourceProxy} inside of one: making a table would commit it
     * @throws LockException if it could not be made, or the user has no right to it; with the statements that make it, and
     *     grant what the user needs
     * @throws SQLException if there is no connection, or it breaks
     */
    public void createTable(DataSource dataSource) throws SQLException {
        try (PooledConnection borrowed =
                PooledConnection.from(ConnectionSource.of(dataSource), ANSWER_TIMEOUT_MILLIS)) {
            FenceTable table = table(borrowed.connection());
            try {
                if (table.exists(borrowed.sql())) {
                    return;
                }
            } catch (SQLException e) {
                throw table.explained(e, borrowed.connection(), FenceTable.REGISTERING);
            }
            try {
                borrowed.sql().run(table.ddl());
            } catch (SQLException e) {
                // Somebody else may have made it at the same moment.
                if (Sql.isBroken(e) || !table.exists(borrowed.sql())) {
                    throw table.missing(
                            ", and could not be made: " + e.getMessage(),
                            e,
                            borrowed.connection(),
                            FenceTable.REGISTERING);
                }
            }
        }
    }

    /**
     * Registers a token in the caller's transaction; from its commit on, older ones are refused, and until its end others wait.
     * To be called before the transaction's first read of the resource. Repeating it does no harm.
     *
     * @param connection the caller's, in a transaction; it is neither committed nor rolled back here
     * @param resource names what is guarded, the same for everybody: 1 to 512 bytes in UTF-8, any characters but NUL
     * @param token the fencing token of the lease, not negative
     * @throws StaleTokenException if a newer one was registered before: the lease is lost. Nothing has changed; roll back
     * @throws IllegalStateException if the connection is in auto-commit mode. Nothing was sent
     * @throws LockException if the table is missing, or the user has no right to it; with the statements that mend it
     * @throws SQLException what the database throws. Roll back; the token is not registered
     */
    public void register(Connection connection, String resource, long token) throws SQLException {
        register(connection, resource, token, FenceTable::register);
    }

    /**
     * Registers the token of a reader ({@link dev.leasehold.DistributedReadWriteLock#read()}) in the caller's transaction; from
     * its commit on, older writers are refused, and until its end writers wait. Readers do not refuse each other, and one with
     * a token that is not newer than all before does not keep others waiting either (on H2, and on MariaDB and MySQL above READ
     * COMMITTED, it does). To be called before the transaction's first read of the resource; and once more in a transaction
     * after the last one, where the reads are several transactions: then it tells whether a writer came in between.
     * Repeating it does no harm.
     *
     * @param connection the caller's, in a transaction; it is neither committed nor rolled back here
     * @param resource names what is guarded, the same for everybody: 1 to 512 bytes in UTF-8, any characters but NUL
     * @param token the fencing token of the lease, not negative
     * @throws StaleTokenException if a newer one of a writer was registered before: the lease is lost. Nothing has changed;
     *     roll back, and do not use what was read
     * @throws IllegalStateException if the connection is in auto-commit mode. Nothing was sent
     * @throws LockException if the table is missing, or the user has no right to it; with the statements that mend it
     * @throws SQLException what the database throws. Roll back; the token is not registered
     */
    public void registerShared(Connection connection, String resource, long token) throws SQLException {
        register(connection, resource, token, FenceTable::registerShared);
    }

    /** A registration answers with a token that is greater if that one is refused. */
    @FunctionalInterface
    private interface Registration {
        long in(FenceTable table, Sql sql, String resource, long token) throws SQLException;
    }

    private void register(Connection connection, String resource, long token, Registration registration)
            throws SQLException {
        checked(resource);
        if (token < 0) {
            throw new IllegalArgumentException("a fencing token is not negative, but this was " + token);
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in auto-commit mode, where a registration ends with its own "
                            + "statement and guards nothing that follows; nothing was sent. Call setAutoCommit(false) first, or be in"
                            + " the transaction that Spring or another manager began");
        }
        FenceTable table = table(connection);
        long newest;
        try (Sql sql = new Sql(connection)) {
            newest = registration.in(table, sql, resource, token);
        } catch (SQLException e) {
            throw table.explained(e, connection, FenceTable.REGISTERING);
        }
        if (newest > token) {
            throw new StaleTokenException(resource, token, newest);
        }
    }

    /**
     * Forgets the tokens of a resource, in the caller's transaction or in auto-commit mode. For when the lock moves to a store
     * whose tokens begin anew, or when the resource is deleted for good; and only when nobody who has had the old lock still
     * runs, because from now on any token will do.
     *
     * @param connection the caller's
     * @param resource names what is guarded
     * @throws LockException if the table is missing, or the user has no right to it; with the statements that mend it
     * @throws SQLException what the database throws
     */
    public void reset(Connection connection, String resource) throws SQLException {
        checked(resource);
        FenceTable table = table(connection);
        try (Sql sql = new Sql(connection)) {
            table.forget(sql, resource);
        } catch (SQLException e) {
            throw table.explained(e, connection, FenceTable.RESETTING);
        }
    }

    private FenceTable table(Connection connection) throws SQLException {
        return new FenceTable(FenceDatabase.of(connection.getMetaData(), dialect), schema, prefix);
    }

    private static void checked(String resource) {
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(resource))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "the resource's name has an unpaired surrogate, which UTF-8 cannot carry", e);
        }
        if (bytes == 0 || bytes > LONGEST || resource.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the resource's name must be 1 to " + LONGEST
                    + " bytes long in UTF-8, without NUL, but has " + bytes
                    + (resource.indexOf('\0') < 0 ? "" : " and a NUL at index " + resource.indexOf('\0')));
        }
    }

    @Override
    public String toString() {
        return (schema == null ? "" : schema + ".") + prefix + FenceTable.NAME;
    }
}
