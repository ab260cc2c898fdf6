package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.node.RedisSettings;
import java.util.ArrayList;
import java.util.List;

/** Replica findings tell how a master's replicas protect its locks, and how they endanger them. */
public final class ReplicaFindings {

    private static final String LAGGING = "a fail-over to a replica that lacks the latest locks";

    private ReplicaFindings() {}

    public static List<Finding> of(NodeFacts master, RedisSettings settings) {
        List<Finding> findings = new ArrayList<>();
        if (!master.isMaster()) {
            findings.add(Finding.of(Severity.SERIOUS, "redis-not-a-master", master.node(), "it is a replica")
                    .meaning(
                            "it refuses writes, so that nobody gets a lock",
                            "name its master; or all of them, redis://HOST1,HOST2; or the sentinels"));
            return findings;
        }
        findings.add(
                settings.replicas() > 0 ? waited(master, settings.replicas()) : notWaited(master, master.replicas()));
        if (master.replicas() > 0) {
            findings.add(cutOff(master, settings.replicas() > 0));
        }
        return findings;
    }

    private static Finding notWaited(NodeFacts master, int replicas) {
        return replicas == 0
                ? Finding.of(Severity.NOTE, "redis-no-replica", master.node(), "no replica")
                        .meaning(
                                "while this server is down nobody gets a lock",
                                "if that matters: replicas with Sentinel or Cluster, and leasehold.waitForReplicas")
                : Finding.of(
                                Severity.WARNING,
                                "redis-fail-over-forgets",
                                master.node(),
                                count(replicas) + ", and locks do not wait for " + (replicas == 1 ? "it" : "them"))
                        .meaning(
                                "whichever is promoted may lack the latest locks; they are granted to somebody else at once, "
                                        + "while their holders go on",
                                "add leasehold.waitForReplicas=" + replicas + " to the URI of every client")
                        .fencedOnlyAfter(LAGGING);
    }

    private static Finding waited(NodeFacts master, int wanted) {
        int replicas = master.replicas();
        String what = count(replicas) + ", locks wait for " + wanted;
        if (wanted > replicas) {
            return Finding.of(Severity.SERIOUS, "redis-replicas-missing", master.node(), what)
                    .meaning("every claim fails", "bring the replicas back, or wait for fewer");
        }
        return wanted < replicas
                ? Finding.of(Severity.NOTE, "redis-waits-for-some", master.node(), what)
                        .meaning(
                                "safe only if one that has acknowledged is promoted, as Sentinel and Cluster try to do",
                                "wait for all of them, leasehold.waitForReplicas=" + replicas)
                        .fencedOnlyAfter(LAGGING)
                : Finding.of(Severity.FINE, "redis-waits-for-replicas", master.node(), what);
    }

    private static Finding cutOff(NodeFacts master, boolean waits) {
        String least = master.setting("min-replicas-to-write");
        if (waits) {
            return Finding.of(
                    Severity.FINE,
                    "redis-cut-off",
                    master.node(),
                    "a master that is cut off from its replicas grants nothing, since locks wait for them");
        }
        String meaning =
                "a master that is cut off from its replicas goes on granting locks, which its successor grants "
                        + "again";
        String fault = "a partition between the server and its replicas";
        if (least == null) {
            return Finding.of(
                            Severity.NOTE,
                            "redis-min-replicas-not-seen",
                            master.node(),
                            "min-replicas-to-write may not be seen by this user")
                    .meaning("if it is 0, " + meaning, "set it to 1 at least, or allow +config|get")
                    .fencedOnlyAfter(fault + " (min-replicas-to-write was not seen)");
        }
        return least.equals("0")
                ? Finding.of(Severity.WARNING, "redis-min-replicas", master.node(), "min-replicas-to-write is 0")
                        .meaning(meaning, "set it to 1 at least, and min-replicas-max-lag to a few seconds")
                        .fencedOnlyAfter(fault)
                : Finding.of(Severity.FINE, "redis-cut-off", master.node(), "min-replicas-to-write is " + least);
    }

    private static String count(int replicas) {
        return replicas == 1 ? "1 replica" : replicas + " replicas";
    }
}
