package dev.leasehold.jdbc.fence;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.DatabaseRights;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.Tables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fence table has a row for each resource.
 *
 * @param schema where it is; null for where the connection looks first
 * @param prefix what its name begins with
 */
public record FenceTable(FenceDatabase database, @Nullable String schema, String prefix) {

    public static final String NAME = "fence";

    /** The rights that registering takes. */
    public static final String REGISTERING = "SELECT, INSERT, UPDATE";

    public static final String RESETTING = "SELECT, INSERT, UPDATE, DELETE";

    /** Returns the quoted name. */
    private String name() {
        String quoted = database.quote(prefix + NAME);
        return schema == null ? quoted : database.quote(schema) + "." + quoted;
    }

    /** Registers a token, and returns the newest one after that. */
    public long register(Sql sql, String resource, long token) throws SQLException {
        return database.register(sql, name(), database.resource(resource), token);
    }

    /**
     * Registers a reader's token, and returns the newest after that of those who had the resource alone, or this one if
     * it is greater.
     */
    public long registerShared(Sql sql, String resource, long token) throws SQLException {
        return database.registerShared(sql, name(), database.resource(resource), token);
    }

    public void forget(Sql sql, String resource) throws SQLException {
        sql.change("DELETE FROM " + name() + " WHERE resource = ?", database.resource(resource));
    }

    /** Returns whether the table is there. Not in a transaction of the caller's: the question may be answered by an error. */
    public boolean exists(Sql sql) throws SQLException {
        try {
            if (database == FenceDatabase.POSTGRESQL
                    && !Product.POSTGRESQL.rules().mayHave(sql, name())) {
                return false;
            }
            sql.first("SELECT token FROM " + name() + " WHERE resource = ?", row -> "", database.resource("x"));
            return true;
        } catch (SQLException e) {
            if (database.isMissingTable(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the statement that makes it, as a person would run it. */
    public String ddl() {
        String resource = database.schema();
        try (InputStream text = FenceTable.class.getResourceAsStream("/dev/leasehold/jdbc/" + resource)) {
            return new String(Objects.requireNonNull(text, resource).readAllBytes(), StandardCharsets.UTF_8)
                    .replace(database.quote(Tables.PREFIX + NAME), name());
        } catch (IOException e) {
            throw new IllegalStateException(resource, e);
        }
    }

    /**
     * Returns what the database said; if that is why, throws that the table is missing, or that the user has no right to it.
     *
     * @param rights what the user needs
     */
    public SQLException explained(SQLException e, Connection connection, String rights) {
        if (database.isMissingTable(e)) {
            throw missing("", e, connection, rights);
        }
        Dialect dialect = database.rules();
        if (dialect != null && dialect.isDenied(e)) {
            throw DatabaseRights.refusal(
                    "the fence's table " + name(),
                    String.valueOf(e.getMessage()),
                    "registered. Once the table is there",
                    grants(connection, rights),
                    e);
        }
        return e;
    }

    public LockException missing(String why, SQLException cause, Connection connection, String rights) {
        return new LockException(
                "the fence's table " + name() + " is missing" + why + "; nothing was registered. Call"
                        + " JdbcFence.createTable at the program's start, or let somebody who may do so run:\n\n"
                        + ddl() + "\n" + grants(connection, rights),
                cause);
    }

    private String grants(Connection connection, String rights) {
        Dialect dialect = database.rules();
        return dialect == null
                ? ""
                : DatabaseRights.grants(dialect, schema, List.of(rights + " ON " + name()), user(connection, dialect));
    }

    /** PostgreSQL answers no question in a transaction that has failed. */
    private String user(Connection connection, Dialect dialect) {
        try (Sql sql = new Sql(connection)) {
            return database == FenceDatabase.POSTGRESQL && !connection.getAutoCommit()
                    ? dialect.quote(String.valueOf(connection.getMetaData().getUserName()))
                    : dialect.user(sql);
        } catch (SQLException e) {
            return "…";
        }
    }
}
