package dev.leasehold.jdbc.doctor;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.DatabaseRights;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.H2Dialect;
import dev.leasehold.jdbc.dialect.LookAlike;
import dev.leasehold.jdbc.dialect.MySqlWriters;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.jdbc.server.DatabaseAccess;
import dev.leasehold.jdbc.server.JdbcSettings;
import dev.leasehold.jdbc.server.SchemaCheck;
import dev.leasehold.jdbc.server.ServerFailures;
import dev.leasehold.spi.StoreContext;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDBC doctor looks at a database as its clients see it: on a connection from where theirs come from. What holds for one
 * kind of database only is looked at by {@link PostgresFindings} and the like. Makes no tables and changes no row.
 *
 * <p>A fact that the user may not read is reported as such, never taken for fine. Only if there is no connection is
 * there no examination.
 */
public final class JdbcDoctor {

    private final String name;
    private final JdbcSettings settings;
    private final ConnectionSource.Opener opener;
    private final StoreContext context;
    private final int timeoutMillis;
    private final List<Finding> findings = new ArrayList<>();
    private boolean tables;
    private boolean refused;

    public JdbcDoctor(String name, JdbcSettings settings, ConnectionSource.Opener opener, StoreContext context) {
        this.name = name;
        this.settings = settings;
        this.opener = opener;
        this.context = context;
        timeoutMillis =
                (int) DatabaseAccess.databaseTimeout(context.storeTimeout()).toMillis();
    }

    /** Returns whether a lock may be taken without making tables, after the examination. */
    public boolean canBeTried() {
        return tables && !refused;
    }

    public List<Finding> examine() {
        try (ConnectionSource source = opener.open(2, Duration.ofMillis(timeoutMillis));
                PooledConnection borrowed = connect(source)) {
            look(source, borrowed);
            return findings;
        } catch (SQLException e) {
            if (ExistingH2.isMissing(e)) {
                return List.of(Finding.of(Severity.NOTE, "database-missing", name, "there is no such database yet")
                        .meaning(
                                "the first lock makes it; if you expected one, the path differs from what the other clients use",
                                "compare the path with theirs"));
            }
            throw Sql.isBroken(e)
                    ? ServerFailures.broken(e, name, Outcome.NOT_CARRIED_OUT)
                    : ServerFailures.refused(e, name);
        }
    }

    private PooledConnection connect(ConnectionSource source) throws SQLException {
        try {
            return PooledConnection.from(source, timeoutMillis);
        } catch (SQLException e) {
            if (ExistingH2.isMissing(e)) {
                throw e;
            }
            throw ServerFailures.unreachable(e, name, StoreUnavailableException.Outcome.NOT_CARRIED_OUT);
        }
    }

    private void look(ConnectionSource source, PooledConnection borrowed) throws SQLException {
        Connection connection = borrowed.connection();
        Product known = settings.dialect();
        Product kind = known != null ? known : Product.of(connection.getMetaData());
        Dialect dialect = kind.rules();
        findings.add(version(kind, connection.getMetaData()));
        LookAlike other = LookAlike.of(kind, borrowed.sql());
        if (other != null) {
            refused = known == null;
            findings.add(other.finding(name, known != null));
        }
        findings.addAll(DatabaseClock.findings(name, borrowed.sql(), dialect, context.time()));
        if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            findings.add(
                    Finding.of(Severity.NOTE, "database-isolation", name, "connections do not come at READ COMMITTED")
                            .meaning(
                                    "locks are as right, but setting the level costs two round trips each time",
                                    "have the pool hand out connections at READ COMMITTED"));
        }
        Tables named = new Tables(dialect, settings.schema(), settings.prefix());
        findings.addAll(
                switch (kind) {
                    case POSTGRESQL -> PostgresFindings.of(name, borrowed.sql());
                    case MARIADB, MYSQL -> MySqlFindings.of(name, borrowed.sql());
                    case H2 -> List.of(h2(connection, borrowed.sql()));
                });
        try {
            tables(borrowed, named);
            if (tables) {
                findings.add(DatabaseRights.finding(name, borrowed.sql(), named));
            }
            if (tables && kind != Product.H2 && isReadElsewhere(kind, borrowed, named)) {
                findings.replaceAll(each -> each.code().equals("database-read-only") ? readElsewhere(name) : each);
            }
        } catch (SQLException e) {
            refused = true;
            findings.add(ofTables(e, borrowed.sql(), named));
        }
        if (kind == Product.POSTGRESQL) {
            Finding full = PostgresFindings.messages(name, borrowed.sql());
            findings.add(
                    full != null
                            ? full
                            : settings.listen()
                                    ? PostgresMessages.finding(
                                            name, source, borrowed, timeoutMillis, context.clientId())
                                    : Finding.of(
                                                    Severity.NOTE,
                                                    "database-messages-off",
                                                    name,
                                                    "leasehold.listen is false")
                                            .meaning("waiters poll", "leave it on where no pooler is in between"));
        }
    }

    /** A user with a special right may write to a MariaDB that is closed to others; then it says so in the transaction, too. */
    private static boolean isReadElsewhere(Product kind, PooledConnection borrowed, Tables named) throws SQLException {
        borrowed.autoCommit(false);
        try {
            return DatabaseRights.isWritten(borrowed.sql(), named)
                    && (kind == Product.POSTGRESQL
                            || MySqlWriters.variable(borrowed.sql(), "read_only")
                                    .equals("OFF"));
        } finally {
            borrowed.rollBack();
            borrowed.autoCommit(true);
        }
    }

    /** Returns what to say of a replica, if a statement that only a primary takes was carried out. */
    private static Finding readElsewhere(String node) {
        return Finding.of(
                        Severity.WARNING,
                        "database-reads-elsewhere",
                        node,
                        "it says that it is a replica, and takes writes: something in between sends reads to another server"
                                + " (a pooler that balances loads, a reader endpoint)")
                .meaning(
                        "locks are as right, but waiters hear of them late; what else is said here of settings may be the"
                                + " replica's",
                        "have all statements of this user sent to the primary");
    }

    private Finding version(Product kind, DatabaseMetaData database) throws SQLException {
        int major = database.getDatabaseMajorVersion();
        int minor = database.getDatabaseMinorVersion();
        String seen = switch (kind) {
                    case POSTGRESQL -> "PostgreSQL ";
                    case MARIADB -> "MariaDB ";
                    case MYSQL -> "MySQL ";
                    case H2 -> "H2 ";
                }
                + database.getDatabaseProductVersion();
        int leastMajor = switch (kind) {
            case POSTGRESQL -> 12;
            case MARIADB -> 10;
            case MYSQL -> 8;
            case H2 -> 2;
        };
        int leastMinor = kind == Product.MARIADB ? 6 : kind == Product.H2 ? 2 : 0;
        boolean old = major < leastMajor || (major == leastMajor && minor < leastMinor);
        return old
                ? Finding.of(Severity.SERIOUS, "database-version-old", name, seen)
                        .meaning(
                                "Leasehold is made for " + leastMajor + "." + leastMinor + " or newer",
                                "upgrade the database")
                : Finding.of(Severity.FINE, "database-version", name, seen);
    }

    private Finding h2(Connection connection, Sql sql) throws SQLException {
        try {
            new H2Dialect().check(connection, sql);
            return Finding.of(
                    Severity.FINE, "database-commits", name, "what is committed is kept before it is answered");
        } catch (LockException e) {
            refused = true;
            return Finding.of(Severity.SERIOUS, "database-h2-settings", name, String.valueOf(e.getMessage()))
                    .meaning("every claim is refused", "open the database with the settings that it names");
        }
    }

    private Finding ofTables(SQLException e, Sql sql, Tables named) throws SQLException {
        if (named.dialect().isDenied(e)) {
            return DatabaseRights.lacking(name, String.valueOf(e.getMessage()), sql, named);
        }
        if (!named.dialect().isMissingTable(e)) {
            throw e;
        }
        return Finding.of(Severity.SERIOUS, "database-no-tables", name, String.valueOf(e.getMessage()))
                .meaning(
                        "the other tables are there: clients that run get no lock",
                        "have the statements in the error of any claim run, or those in the jar: they make what is missing");
    }

    private void tables(PooledConnection borrowed, Tables named) throws SQLException {
        Long layout = SchemaCheck.layout(borrowed, named);
        tables = layout != null && layout == SchemaCheck.CURRENT;
        if (layout == null) {
            String missing = "there is no table " + named.in("$lock") + " of a known layout";
            if (settings.initialize() && !DatabaseRights.mayMake(borrowed.sql(), named)) {
                findings.add(Finding.of(Severity.SERIOUS, "database-no-tables", name, missing)
                        .meaning(
                                "nobody gets a lock, since this user may not make it",
                                "have the statements in the error of any claim run, or those in the jar; then "
                                        + DatabaseRights.remedy(
                                                named, named.dialect().user(borrowed.sql()))));
                return;
            }
            findings.add(
                    settings.initialize()
                            ? Finding.of(Severity.NOTE, "database-no-tables", name, missing)
                                    .meaning(
                                            "the first lock makes it, if its user may; if you expected one, the schema or the "
                                                    + "prefix differs from what the other clients use",
                                            "compare leasehold.schema and leasehold.tables with theirs")
                            : Finding.of(Severity.SERIOUS, "database-no-tables", name, missing)
                                    .meaning(
                                            "nobody gets a lock, since clients are told not to make tables",
                                            "have the statements in the error of any claim run, or those in the jar"));
        } else if (tables) {
            findings.add(Finding.of(
                    Severity.FINE,
                    "database-tables",
                    name,
                    "the tables beside " + named.in("$lock") + " have layout " + layout));
        } else {
            findings.add(Finding.of(
                            Severity.SERIOUS,
                            "database-other-layout",
                            name,
                            "the tables have layout " + layout + ", and this version knows " + SchemaCheck.CURRENT)
                    .meaning(
                            "clients of this version get no lock",
                            layout > SchemaCheck.CURRENT
                                    ? "use a newer version of Leasehold"
                                    : "use other tables (leasehold.tables=…)"));
        }
    }
}
