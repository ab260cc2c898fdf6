package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.node.SlotMap;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Cluster findings concern a cluster as a whole: whether every lock has a master. */
final class ClusterFindings {

    private ClusterFindings() {}

    static List<Finding> of(String name, SlotMap map, StatefulRedisConnection<String, String> connection) {
        List<Finding> findings = new ArrayList<>();
        long bare = map.slots().stream().filter(master -> master == null).count();
        findings.add(
                bare == 0
                        ? Finding.of(
                                Severity.FINE,
                                "redis-slots",
                                name,
                                "all slots have one of " + map.masters().size() + " masters")
                        : Finding.of(
                                        Severity.SERIOUS,
                                        "redis-slots-uncovered",
                                        name,
                                        bare + " of " + SlotHash.SLOT_COUNT + " slots have no master")
                                .meaning(
                                        "no lock whose name falls there can be taken, or none at all",
                                        "bring the masters back, or give their slots to others (redis-cli --cluster fix)"));
        findings.add(state(name, connection));
        return findings;
    }

    private static Finding state(String name, StatefulRedisConnection<String, String> connection) {
        try {
            Map<String, String> info = NodeFacts.fields(connection.sync().clusterInfo());
            String state = info.getOrDefault("cluster_state", "");
            return state.equals("ok")
                    ? Finding.of(Severity.FINE, "redis-cluster-state", name, "the cluster is ok")
                    : Finding.of(Severity.SERIOUS, "redis-cluster-down", name, "the state of the cluster is " + state)
                            .meaning("nobody gets a lock", "see which of its masters are missing");
        } catch (RedisCommandExecutionException e) {
            return Finding.of(
                            Severity.NOTE,
                            "redis-cluster-state-not-seen",
                            name,
                            "the state of the cluster may not be seen by this user")
                    .meaning("whether it serves is only known from the trial", "allow +cluster|info");
        }
    }
}
