package dev.leasehold.jdbc.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.MySqlWriters;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** MySqlFindings examines what the settings and replicas of MariaDB and MySQL do to locks. */
final class MySqlFindings {

    private static final String LAGGING = "a fail-over to a replica that lacks the latest locks";

    private MySqlFindings() {}

    static List<Finding> of(String node, Sql sql) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(writable(node, MySqlWriters.variable(sql, "read_only")));
        findings.add(commits(node, sql.number("SELECT @@innodb_flush_log_at_trx_commit")));
        findings.add(MySqlWriters.finding(node, sql));
        String log = MySqlWriters.variable(sql, "log_bin");
        if (log.equals("ON") && MySqlWriters.variable(sql, "binlog_format").equals("STATEMENT")) {
            findings.add(statementLog(node));
        }
        findings.add(replication(
                node,
                log,
                "ON".equals(MySqlWriters.variable(sql, "rpl_semi_sync_master_enabled"))
                        || "ON".equals(MySqlWriters.variable(sql, "rpl_semi_sync_source_enabled"))));
        return findings;
    }

    private static Finding statementLog(String node) {
        return Finding.of(Severity.SERIOUS, "database-statement-log", node, "binlog_format is STATEMENT")
                .meaning(
                        "with such a binary log InnoDB takes no change at READ COMMITTED, at which locks are taken: nobody"
                                + " gets one",
                        "set binlog_format to MIXED or ROW");
    }

    /** {@code readOnly} is empty where there is no variable of that name. */
    static Finding writable(String node, String readOnly) {
        return readOnly.isEmpty() || readOnly.equals("OFF")
                ? Finding.of(Severity.FINE, "database-writable", node, "it can be written")
                : Finding.of(Severity.SERIOUS, "database-read-only", node, "read_only is " + readOnly)
                        .meaning(
                                "it is a replica, or was closed to writes: users without a special right get no lock",
                                "name the primary");
    }

    static Finding commits(String node, long flush) {
        if (flush == 1) {
            return Finding.of(
                    Severity.FINE, "database-commits", node, "what is committed is on disk before it is answered");
        }
        String crash = flush == 0 ? "a crash of the database" : "a crash of the database's machine";
        return Finding.of(Severity.WARNING, "database-forgets", node, "innodb_flush_log_at_trx_commit is " + flush)
                .meaning(
                        crash
                                + " forgets the locks of the last second, which are granted to somebody else while their holders "
                                + "go on",
                        "set it to 1")
                .fencedOnlyAfter(crash);
    }

    /** Few users may see which replicas it has, so it counts whether there can be any. */
    static Finding replication(String node, String log, boolean semiSynchronous) {
        if (!log.equals("ON")) {
            return Finding.of(Severity.NOTE, "database-no-replica", node, "it has no binary log, so no replica")
                    .meaning(
                            "while this database is down nobody gets a lock",
                            "if that matters: semi-synchronous replicas");
        }
        return semiSynchronous
                ? Finding.of(
                                Severity.NOTE,
                                "database-replicas",
                                node,
                                "commits wait for a replica, until its time-out (semi-synchronous replication)")
                        .meaning(
                                "after the time-out they wait no more, and a replica that is promoted then may lack locks",
                                "make rpl_semi_sync_master_timeout (source_timeout) long")
                        .fencedOnlyAfter(LAGGING)
                : Finding.of(
                                Severity.WARNING,
                                "database-fail-over-forgets",
                                node,
                                "it has a binary log, and commits do not wait for replicas")
                        .meaning(
                                "if there are replicas, one that is promoted may lack the latest locks; they are granted to somebody "
                                        + "else at once, while their holders go on",
                                "switch semi-synchronous replication on; without replicas this is no matter")
                        .fencedOnlyAfter(LAGGING + " (if there are replicas)");
    }
}
