package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Persistence findings tell what a master forgets when it is started again. */
public final class PersistenceFindings {

    private static final String FORGOTTEN =
            "what it has forgotten is granted to somebody else at once, while the holder goes on believing until the end of "
                    + "his lease";
    private static final String LOG_ALL =
            "set appendonly yes and appendfsync always; else start it again only when the longest lease is over";

    private PersistenceFindings() {}

    public static List<Finding> of(NodeFacts node) {
        List<Finding> findings = new ArrayList<>();
        String save = node.setting("save");
        findings.add(isLogged(node) ? logged(node, node.setting("appendfsync")) : unlogged(node, save));
        findings.addAll(disk(node));
        return findings;
    }

    private static boolean isLogged(NodeFacts node) {
        return !node.field("aof_enabled").isEmpty()
                && !node.field("aof_enabled").equals("0");
    }

    /** Returns the failures to write to the disk, and nothing where there are none. */
    public static List<Finding> disk(NodeFacts node) {
        List<Finding> findings = new ArrayList<>();
        if (isLogged(node) && node.field("aof_last_write_status").equals("err")) {
            findings.add(disk(node, "it cannot write its append-only file"));
        }
        if (node.field("rdb_last_bgsave_status").equals("err") && !"".equals(node.setting("save"))) {
            findings.add(disk(node, "its last snapshot failed"));
        }
        return findings;
    }

    private static Finding unlogged(NodeFacts node, @Nullable String save) {
        if (save == null) {
            return Finding.of(
                            Severity.WARNING,
                            "redis-persistence-not-seen",
                            node.node(),
                            "no append-only file; whether snapshots are kept may not be seen by this user")
                    .meaning("at best a snapshot of some minutes ago survives a restart; " + FORGOTTEN, LOG_ALL)
                    .fencedOnlyAfter("a restart of the server");
        }
        return save.isEmpty()
                ? Finding.of(Severity.WARNING, "redis-no-persistence", node.node(), "nothing is kept on disk")
                        .meaning("a restart forgets all locks; " + FORGOTTEN, LOG_ALL)
                        .fencedOnlyAfter("a restart of the server")
                : Finding.of(
                                Severity.WARNING,
                                "redis-snapshots-only",
                                node.node(),
                                "snapshots only (save " + save + "), no append-only file")
                        .meaning("a crash forgets what came after the last snapshot; " + FORGOTTEN, LOG_ALL)
                        .fencedOnlyAfter("a crash of the server");
    }

    private static Finding logged(NodeFacts node, @Nullable String fsync) {
        String log = "append-only file, appendfsync ";
        if (fsync == null) {
            return Finding.of(
                            Severity.NOTE,
                            "redis-fsync-not-seen",
                            node.node(),
                            "append-only file; how soon it is on disk may not be seen by this user")
                    .meaning(
                            "unless appendfsync is always, a crash of its machine forgets the last seconds; "
                                    + FORGOTTEN,
                            "make sure that it is, or allow +config|get")
                    .fencedOnlyAfter("a crash of the server's machine (appendfsync was not seen)");
        }
        return switch (fsync) {
            case "always" -> Finding.of(Severity.FINE, "redis-fsync-always", node.node(), log + fsync);
            case "everysec" ->
                Finding.of(Severity.NOTE, "redis-fsync-everysec", node.node(), log + fsync)
                        .meaning("a crash of its machine forgets the last second or two; " + FORGOTTEN, LOG_ALL)
                        .fencedOnlyAfter("a crash of the server's machine");
            default ->
                Finding.of(Severity.WARNING, "redis-fsync-no", node.node(), log + fsync)
                        .meaning("a crash of its machine forgets the last half minute or so; " + FORGOTTEN, LOG_ALL)
                        .fencedOnlyAfter("a crash of the server's machine");
        };
    }

    private static Finding disk(NodeFacts node, String what) {
        return Finding.of(Severity.SERIOUS, "redis-disk-fails", node.node(), what)
                .meaning(
                        "it refuses writes, so that nobody gets a lock, or soon will; and a restart forgets the latest locks",
                        "look at its log and its disk");
    }
}
