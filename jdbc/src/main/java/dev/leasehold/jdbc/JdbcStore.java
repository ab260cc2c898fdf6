package dev.leasehold.jdbc;

import dev.leasehold.Examination;
import dev.leasehold.Finding;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Locks in the tables of a database on a server: PostgreSQL, MariaDB, MySQL, H2. Immutable and thread-safe; may be opened by
 * several clients.
 *
 * <pre>{@code
 * Leasehold leasehold = Leasehold.builder()
 *         .store(JdbcStore.using(dataSource))
 *         .build();
 * }</pre>
 *
 * <p>Locks are taken and released in short transactions of their own, on connections of their own: never in a transaction of
 * the caller's, whatever its state. A connection comes back to its pool as it was lent. A client borrows at most {@link
 * #withConnections} of them at a time, each for one statement or one short transaction; a pool of one connection is enough.
 * On PostgreSQL one more is kept to listen on while the client waits for a lock; it is given back as soon as it turns out
 * that the pool has no other.
 *
 * <p>What it promises: as long as the database keeps what it has committed and its clock does not jump, at most one holder
 * has a lock. A database that fails over to a replica that lags behind may let a second holder in beside the first; the
 * fencing tokens still increase, as long as the new server's clock is not behind the greatest token.
 */
public final class JdbcStore implements StoreFactory {

    private final String name;
    private final ConnectionSource.Opener opener;
    private final JdbcSettings settings;

    JdbcStore(String name, ConnectionSource.Opener opener, JdbcSettings settings) {
        this.name = name;
        this.opener = opener;
        this.settings = settings;
    }

    /**
     * Locks in the database that a data source connects to. The data source stays the caller's: it is never closed here. It
     * should be a pool, and its connections should be at READ COMMITTED, which saves setting that each time.
     *
     * @param dataSource the data source
     * @return the store
     */
    public static JdbcStore using(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        return new JdbcStore(
                "jdbc (the given data source's)",
                (most, patience) -> ConnectionSource.of(dataSource),
                JdbcSettings.DEFAULT);
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
                dialect,
                settings.schema(),
                settings.prefix(),
                settings.initialize(),
                settings.connections(),
                settings.listen()));
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
                settings.listen()));
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
                settings.listen()));
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
                settings.listen()));
    }

    /**
     * Limits the connections that a client uses at a time: 4 unless told otherwise. As many threads work for it.
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
                settings.listen()));
    }

    /**
     * Says whether, on PostgreSQL, one more connection may be kept to listen on while the client waits. It may unless told
     * otherwise; without it, waiters poll as on the other databases.
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
                listen));
    }

    private JdbcStore with(JdbcSettings changed) {
        return new JdbcStore(name, opener, changed);
    }

    @Override
    public Store open(StoreContext context) {
        return new OpenJdbcStore(name, settings, opener, context);
    }

    /** See {@code docs/sql.md} for what is looked at. Makes no tables. */
    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        JdbcDoctor doctor = new JdbcDoctor(name, settings, opener, context);
        List<Finding> findings = new ArrayList<>(doctor.examine());
        if (doctor.canBeTried()) {
            findings.add(Trial.of(this, context));
        }
        return new Examination(findings);
    }

    @Override
    public String toString() {
        return name;
    }
}
