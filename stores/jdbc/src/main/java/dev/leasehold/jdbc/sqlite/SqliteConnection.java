package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * An SQLite connection is one to a store file of the current layout. Not thread-safe.
 *
 * <p>Durability: write-ahead log with {@code synchronous=NORMAL}. A commit is in the operating system's hands when it
 * returns, so that no killed process loses anything. A power failure may lose the last commits, but all leases of the
 * machine end with it, and later tokens are greater as long as the wall clock does not come back behind them.
 */
public final class SqliteConnection implements AutoCloseable {

    /** "LsHd" marks a file as ours, so that no other application's database is ever changed. */
    private static final long APPLICATION = 0x4C734864;

    static final long LAYOUT = 1;

    private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*(?:\\n|$)");

    /** This is SQLite's general error; ROLLBACK has no other reason for it. */
    private static final int NO_TRANSACTION = 1;

    private static final int COMMITS_PER_LOOK = 256;

    private final StoreFile file;
    private final Connection connection;
    private final Sql sql;
    private final Object identity;
    private final OpenFiles.Entry entry;
    private long commits;
    private boolean saidLong;

    private SqliteConnection(StoreFile file, Connection connection, Object identity, OpenFiles.Entry entry) {
        this.file = file;
        this.connection = connection;
        this.sql = new Sql(connection);
        this.identity = identity;
        this.entry = entry;
    }

    public static SqliteConnection open(StoreFile file) throws SQLException {
        SqliteDriver.require(file);
        file.prepare();
        Object identity = file.identity();
        if (identity == null) {
            throw new LockException("the store " + file + " was deleted while it was being opened; nothing was locked."
                    + " Find out who deletes it, and try again");
        }
        OpenFiles.Entry entry = OpenFiles.enter(file, identity);
        try {
            return open(file, identity, entry);
        } catch (SQLException | RuntimeException e) {
            entry.close();
            throw e;
        }
    }

    private static SqliteConnection open(StoreFile file, Object identity, OpenFiles.Entry entry) throws SQLException {
        Connection connection = connect(file);
        try {
            SqliteConnection database = new SqliteConnection(file, connection, identity, entry);
            database.setUp();
            return database;
        } catch (SQLException | RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Connection connect(StoreFile file) throws SQLException {
        Properties settings = new Properties();
        settings.setProperty("busy_timeout", "0"); // The caller of this class does the waiting, and can be called off.
        return SqliteDriver.connect(file, settings);
    }

    private void setUp() throws SQLException {
        sql.run("BEGIN"); // Or half of what is read could be from before another process has created the layout.
        boolean ours = isOurs();
        sql.run("COMMIT");
        if (!ours) {
            create();
        }
        refuseOtherLayouts();
        refuseWithoutLog();
        sql.run("PRAGMA synchronous = NORMAL");
    }

    /** Looks before anything is written. */
    private boolean isOurs() throws SQLException {
        long application = sql.number("PRAGMA application_id");
        if (application == APPLICATION) {
            return true;
        }
        if (application != 0
                || sql.number("PRAGMA user_version") != 0
                || sql.number("SELECT COUNT(*) FROM sqlite_schema") != 0) {
            throw new LockException(
                    "the file of the store " + file + " is another application's SQLite database; it was not"
                            + " changed, and nothing was locked. Name a file of its own for the locks");
        }
        return false;
    }

    private void create() throws SQLException {
        refuseWithoutLog();
        sql.run("BEGIN IMMEDIATE");
        if (isOurs()) {
            sql.run("ROLLBACK"); // Another process was quicker.
            return;
        }
        for (String statement : schema()) {
            sql.run(statement);
        }
        sql.run("PRAGMA application_id = " + APPLICATION);
        sql.run("PRAGMA user_version = " + LAYOUT);
        sql.run("COMMIT");
        System.getLogger("dev.leasehold.jdbc")
                .log(System.Logger.Level.INFO, "the store {0} had no tables, and has made them", file);
    }

    private void refuseWithoutLog() throws SQLException {
        String mode = sql.first("PRAGMA journal_mode = WAL", row -> row.getString(1));
        if (!"wal".equals(mode)) {
            throw new LockException("the file system of the store " + file
                    + " does not let processes share memory, so that"
                    + " SQLite cannot keep its write-ahead log there (journal mode " + mode + "); nothing was locked."
                    + " Name a file on a local disk");
        }
    }

    /** Refuses a file of another layout. Called in every transaction: a newer version may have changed the layout meanwhile. */
    void refuseOtherLayouts() throws SQLException {
        long layout = sql.number("PRAGMA user_version");
        if (layout != LAYOUT) {
            throw new LockException(
                    "the store " + file + " has layout " + layout + ", and this version of Leasehold knows"
                            + " layout " + LAYOUT + "; it was not changed, and nothing was locked. Use "
                            + (layout > LAYOUT ? "a newer version of Leasehold" : "another file"));
        }
    }

    /** Returns whether the file that is open here is no longer the one that others find at the path. */
    boolean isDisplaced() {
        return !identity.equals(file.identity());
    }

    Object identity() {
        return identity;
    }

    public Sql sql() {
        return sql;
    }

    /** Ends the transaction, if there is one. */
    void rollBack() throws SQLException {
        try {
            sql.run("ROLLBACK");
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_TRANSACTION) {
                throw e;
            }
        }
    }

    /**
     * Copies what is in the log to its place in the file, and cuts the log off, as far as no reader is in the way. SQLite does so
     * by itself only after some 4 MB, for which there may be no space; until then nobody could write.
     */
    void makeRoom() {
        try {
            rollBack();
            sql.number("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (SQLException e) {
            System.getLogger("dev.leasehold.jdbc").log(System.Logger.Level.DEBUG, "making room in " + file, e);
        }
    }

    /** Cuts the log off where it has become long, now and then; says once if a reader is in the way. */
    void committed() throws SQLException {
        if (commits++ % COMMITS_PER_LOOK != 0 || !file.isLogLong()) {
            return;
        }
        // Columns: busy, pages in the log, of these copied.
        Boolean inTheWay = sql.first("PRAGMA wal_checkpoint(TRUNCATE)", row -> row.getLong(3) < row.getLong(2) / 2);
        if (Boolean.TRUE.equals(inTheWay) && !saidLong) {
            saidLong = true;
            System.getLogger("dev.leasehold.jdbc")
                    .log(
                            System.Logger.Level.WARNING,
                            "the log beside the store {0} (-wal) grows with every lock: something keeps a transaction open that"
                                    + " reads the file, so that nobody can cut the log off. End it (fuser tells who has the file"
                                    + " open)",
                            file);
        }
    }

    /** Changes whenever another connection has committed something. */
    long version() throws SQLException {
        return sql.number("PRAGMA data_version");
    }

    @Override
    public void close() {
        try (entry) {
            connection.close();
        } catch (SQLException e) {
            System.getLogger("dev.leasehold.jdbc").log(System.Logger.Level.DEBUG, "closing " + file, e);
        }
    }

    private static List<String> schema() {
        try (InputStream resource =
                SqliteConnection.class.getResourceAsStream("/dev/leasehold/jdbc/schema/sqlite.sql")) {
            byte[] bytes = Objects.requireNonNull(resource, "schema/sqlite.sql").readAllBytes();
            return END_OF_STATEMENT
                    .splitAsStream(new String(bytes, StandardCharsets.UTF_8))
                    .filter(statement -> !statement.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException("schema/sqlite.sql", e);
        }
    }
}
