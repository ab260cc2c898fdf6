package dev.leasehold.jdbc;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.doctor.JdbcDoctor;
import dev.leasehold.jdbc.server.JdbcSettings;
import dev.leasehold.jdbc.server.OpenJdbcStore;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * A JDBC store keeps locks in the tables of a database on a server: PostgreSQL, MariaDB, MySQL, H2. Immutable and
 * thread-safe; may be opened by several clients.
 *
 * <pre>{@code
 * Leasehold leasehold = Leasehold.builder()
 *         .store(JdbcStore.using(dataSource))
 *         .build();
 * }</pre>
 *
 * <p>Locks are taken and released in short transactions of their own, on connections of their own: never in a transaction
 * of the caller's, whatever its state. A connection comes back to its pool as it was lent. A client borrows at most
 * {@link #withConnections} of them at a time, each for one statement or one short transaction; a pool of one connection
 * is enough, if nobody else uses it. On PostgreSQL one more is kept to listen on while the client waits for a lock, or
 * holds one that it has renewed; it is given back as soon as it turns out that the pool has no other.
 *
 * <p>What it promises: as long as the database keeps what it has committed and its clock does not jump, at most one holder
 * has a lock. A database that fails over to a replica that lags behind may let a second holder in beside the first; the
 * fencing tokens still increase, as long as the new server's clock is not behind the greatest token.
 */
public final class JdbcStore implements StoreFactory {

    private final String name;
    private final ConnectionSource.Opener opener;
    private final ConnectionSource.Opener examined;
    private final JdbcSettings settings;

    /** Makes a store from two openers: one for locks, one for examinations, which creates no database. */
    JdbcStore(String name, ConnectionSource.Opener opener, ConnectionSource.Opener examined, JdbcSettings settings) {
        this.name = name;
        this.opener = opener;
        this.examined = examined;
        this.settings = settings;
    }

    /**
     * Makes a store of locks in the database that a data source connects to. The data source stays the caller's: it is
     * never closed here. It should be a pool, and its connections should be at READ COMMITTED, which saves setting that
     * each time.
     *
     * @param dataSource the data source
     * @return the store
     */
    public static JdbcStore using(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        ConnectionSource.Opener opener = (most, databaseTimeout) -> ConnectionSource.of(dataSource);
        return new JdbcStore("jdbc (the given data source's)", opener, opener, JdbcSettings.DEFAULT);
    }

    /**
     * Says which database it is, where its metadata does not tell or tells wrong.
     *
     * @param dialect the dialect
     * @return a store with this setting
     */
    public JdbcStore withDialect(JdbcDialect dialect) {
        Objects.requireNonNull(dialect, "dialect");
        return with(new JdbcSettings(
                dialect.product(),
                settings.schema(),
                settings.prefix(),
                settings.initialize(),
                settings.connections(),
                settings.listen(),
                settings.sessionLocks()));
    }

    /**
     * Says in which schema the tables are; on MariaDB and MySQL, in which database. Without it: where the connection looks
     * first.
     *
     * @param schema 1 to 40 letters, digits and underscores, not beginning with a digit
     * @return a store with this setting
     * @throws IllegalArgumentException if it has another form
     */
    public JdbcStore withSchema(String schema) {
        Objects.requireNonNull(schema, "schema");
        return with(new JdbcSettings(
                settings.dialect(),
                schema,
                settings.prefix(),
                settings.initialize(),
                settings.connections(),
                settings.listen(),
                settings.sessionLocks()));
    }

    /**
     * Says what the names of the tables begin with: {@code leasehold_} unless told otherwise.
     *
     * @param prefix 1 to 40 letters, digits and underscores, not beginning with a digit
     * @return a store with this setting
     * @throws IllegalArgumentException if it has another form
     */
    public JdbcStore withTables(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        return with(new JdbcSettings(
                settings.dialect(),
                settings.schema(),
                prefix,
                settings.initialize(),
                settings.connections(),
                settings.listen(),
                settings.sessionLocks()));
    }

    /**
     * Says whether the tables are made where they are missing. They are unless told otherwise; a user without the right to
     * make them needs this not, as long as they are there.
     *
     * @param initialize false to fail with the statements that make them instead
     * @return a store with this setting
     */
    public JdbcStore withInitializeSchema(boolean initialize) {
        return with(new JdbcSettings(
                settings.dialect(),
                settings.schema(),
                settings.prefix(),
                initialize,
                settings.connections(),
                settings.listen(),
                settings.sessionLocks()));
    }

    /**
     * Limits the connections that a client uses at a time: 8 unless told otherwise, opened as they are needed. At most as
     * many threads work for it at a time; a caller that waits for a lock or its release may be one of them, for less than
     * a second, where the data source is a Hikari pool with an idle connection to PostgreSQL, MariaDB or MySQL.
     *
     * @param most 1 to 64
     * @return a store with this setting
     * @throws IllegalArgumentException if it is another number
     */
    public JdbcStore withConnections(int most) {
        return with(new JdbcSettings(
                settings.dialect(),
                settings.schema(),
                settings.prefix(),
                settings.initialize(),
                most,
                settings.listen(),
                settings.sessionLocks()));
    }

    /**
     * Says whether, on PostgreSQL, one more connection may be kept to listen on while the client waits, or holds what it has
     * renewed. It may unless told otherwise; without it, waiters poll as on the other databases, a holder learns at its next
     * renewal that somebody elsewhere has broken its lock, and this client sends no messages either: what it hands
     * over to a client elsewhere that listens is found by that one only when it asks by itself, after 5 s at most.
     *
     * @param listen whether it may
     * @return a store with this setting
     */
    public JdbcStore withListen(boolean listen) {
        return with(new JdbcSettings(
                settings.dialect(),
                settings.schema(),
                settings.prefix(),
                settings.initialize(),
                settings.connections(),
                listen,
                settings.sessionLocks()));
    }

    /**
     * Says whether locks are held by a session of the database: by PostgreSQL's advisory locks, or by {@code GET_LOCK} on
     * MariaDB and MySQL, on one connection that each client keeps to itself. They are not unless told otherwise. Other
     * databases, and PostgreSQL before 14, are refused; so is a pooler in between that lends connections per transaction.
     *
     * <p><b>When to choose it.</b> When a lock should be free as soon as its holder's process has died: the server sees the
     * connection end, and waiters find out within 5 s, where otherwise the lease has to run out. When the database's clock is
     * not to be trusted: no clock decides about a lease that is held. When many leases are held for long: all of a client's
     * are renewed by one question that changes nothing. For short and frequent locks it is the slower choice: acquiring and
     * releasing take a transaction each.
     *
     * <p><b>What is the same.</b> Waiting, order, fencing tokens and inspection, in the same tables; and leases: the session
     * may be idle for as long as the longest lease it holds was asked for, in whole seconds and at least one, and is asked
     * whether it lives at every renewal, at a third of that. A client that is stopped, or cut off from the database, finds
     * its lease lost before the server gives the lock to somebody else. The longest lease is 24 days.
     *
     * <p><b>What it does not promise.</b> The locks live and die with the session. If the server is restarted or fails over,
     * if an operator or a proxy ends the connection, all leases of the client are gone at that moment, and others may get
     * the locks before it has noticed: at its next question, after a third of the lease or 10 s. Until then two may believe
     * that they hold a lock; only the fencing tokens tell them apart. (Without session locks a restart loses nothing.) On
     * the other hand, a client whose process is stopped, or whose connection is lost without the server noticing, blocks
     * its locks until the idle limit has passed, however short the one lease in question was.
     *
     * <p><b>{@code breakLock}</b> of a lease of another client has the server end that client's session: <em>all</em> leases
     * of that client end with it. That is allowed to the same database user; to others with membership in {@code
     * pg_signal_backend} on PostgreSQL, {@code CONNECTION ADMIN} on MariaDB, {@code CONNECTION_ADMIN} on MySQL.
     *
     * <p>The data source must have two connections at least, and one more than {@link #withConnections} and others use at a
     * time. Clients with and without session locks exclude each other in the same tables, but the latter do not see that a
     * session has ended: do not mix them for longer than a change from one to the other takes.
     *
     * @param sessionLocks whether sessions hold the locks
     * @return a store with this setting
     */
    public JdbcStore withSessionLocks(boolean sessionLocks) {
        return with(new JdbcSettings(
                settings.dialect(),
                settings.schema(),
                settings.prefix(),
                settings.initialize(),
                settings.connections(),
                settings.listen(),
                sessionLocks));
    }

    private JdbcStore with(JdbcSettings changed) {
        return new JdbcStore(name, opener, examined, changed);
    }

    @Override
    public Store open(StoreContext context) {
        return new OpenJdbcStore(name, settings, opener, context);
    }

    /** See {@code docs/sql.md} for what is looked at. Makes no tables. */
    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        JdbcDoctor doctor = new JdbcDoctor(name, settings, examined, context);
        List<Finding> findings = new ArrayList<>(doctor.examine());
        if (doctor.canBeTried()) {
            findings.add(Trial.of(this, context));
        }
        return new Examination(findings);
    }

    @Override
    public String kind() {
        return "jdbc";
    }

    @Override
    public String toString() {
        return name;
    }
}
