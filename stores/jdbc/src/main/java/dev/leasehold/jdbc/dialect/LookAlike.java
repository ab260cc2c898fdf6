package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A look-alike speaks the protocol of PostgreSQL or MySQL, so that drivers take it for one, and is several nodes. A lease ends
 * by the clock of the node that is asked, and so one client may have a lock from one node before it ends by the other's clock.
 */
public enum LookAlike {
    COCKROACH("CockroachDB", "cockroach"),
    YUGABYTE("YugabyteDB", "-yb-|yugabyte"),
    TIDB("TiDB", "tidb"),
    VITESS("Vitess", "vitess"),
    OCEANBASE("OceanBase", "oceanbase"),
    SINGLESTORE("SingleStore", "singlestore|memsql"),
    POLARDB("PolarDB-X", "polardb-x|tddl"),
    XPAND("MariaDB Xpand", "xpand");

    private static final String CLOCKS =
            "each of its nodes ends leases by its own clock, so that two clients may hold one"
                    + " lock while the clocks differ";

    private final String product;
    private final Pattern version;

    LookAlike(String product, String version) {
        this.product = product;
        this.version = Pattern.compile(version, Pattern.CASE_INSENSITIVE);
    }

    /** Asks the database itself: to the driver it is what it looks like. Null for the others. */
    public static @Nullable LookAlike of(Product product, Sql sql) throws SQLException {
        String question = product.rules().versionQuestion();
        String said = question == null ? null : sql.first(question, row -> row.getString(1));
        for (LookAlike each : values()) {
            if (said != null && each.version.matcher(said).find()) {
                return each;
            }
        }
        return null;
    }

    public LockException refusal() {
        return new LockException(
                "the database is " + product + ": " + CLOCKS + "; nothing was locked. Use another store;"
                        + " or keep the clocks together, vouch for them, and name the database that it behaves like with"
                        + " leasehold.dialect=… (docs/sql.md)");
    }

    /**
     * Says so to an operator.
     *
     * @param vouched whether its dialect was named, so that clients use it all the same
     */
    public Finding finding(String node, boolean vouched) {
        Finding found = Finding.of(
                        vouched ? Severity.WARNING : Severity.SERIOUS, "database-look-alike", node, "it is " + product)
                .meaning(
                        vouched ? CLOCKS : CLOCKS + "; every claim is refused",
                        vouched
                                ? "keep their clocks together, or have all clients ask one node"
                                : "use another store; or keep the clocks together, and name the dialect with"
                                        + " leasehold.dialect=…");
        return vouched ? found.fencedOnlyAfter("a difference of the nodes' clocks") : found;
    }
}
