package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Server findings concern one server by itself: its version, its memory, its distance. */
final class ServerFindings {

    private static final Duration FAR = Duration.ofMillis(50);
    private static final Duration VERY_LATE = Duration.ofSeconds(1);
    private static final int NEARLY_FULL_PERCENT = 90;

    private ServerFindings() {}

    static List<Finding> of(NodeFacts node) {
        List<Finding> findings = new ArrayList<>();
        findings.add(version(node));
        findings.add(memory(node));
        findings.add(latency(node));
        return findings;
    }

    private static Finding version(NodeFacts node) {
        String redis = node.field("redis_version");
        String valkey = node.field("valkey_version");
        if (!valkey.isEmpty()) {
            return Finding.of(Severity.FINE, "redis-version", node.node(), "Valkey " + valkey);
        }
        if (!redis.matches("\\d+\\.\\d+.*")) {
            return Finding.of(Severity.NOTE, "redis-version-not-seen", node.node(), "it does not tell its version")
                    .meaning("Leasehold needs Redis 6.2 or newer, or Valkey", "make sure that it is");
        }
        String[] parts = redis.split("\\.", 3);
        int major = Integer.parseInt(parts[0]);
        boolean old = major < 6 || (major == 6 && Integer.parseInt(parts[1]) < 2);
        return old
                ? Finding.of(Severity.SERIOUS, "redis-version-old", node.node(), "Redis " + redis)
                        .meaning("Leasehold is made for Redis 6.2 or newer", "upgrade the server")
                : Finding.of(Severity.FINE, "redis-version", node.node(), "Redis " + redis);
    }

    private static Finding memory(NodeFacts node) {
        long most = node.number("maxmemory");
        String policy = node.field("maxmemory_policy");
        if (most == 0) {
            return Finding.of(Severity.FINE, "redis-memory", node.node(), "no limit of memory, so nothing is evicted");
        }
        String limit = "at most " + words(most) + " of memory";
        if (!policy.equals("noeviction")) {
            return Finding.of(
                            Severity.SERIOUS,
                            "redis-evicts",
                            node.node(),
                            limit + ", and maxmemory-policy is " + policy)
                    .meaning(
                            "when it is full it evicts keys, locks among them: an evicted lock is granted to somebody else at "
                                    + "once while its holder goes on",
                            "set maxmemory-policy noeviction, or use a server of its own for locks")
                    .fencedOnlyAfter("an eviction when the server is full");
        }
        long used = node.number("used_memory");
        if (used / (most / 100 + 1) >= NEARLY_FULL_PERCENT) {
            return Finding.of(Severity.WARNING, "redis-nearly-full", node.node(), limit + ", " + words(used) + " used")
                    .meaning(
                            "when it is full, new claims fail; locks that are held are renewed and released as ever",
                            "raise maxmemory, or free some");
        }
        return Finding.of(Severity.FINE, "redis-memory", node.node(), limit + ", maxmemory-policy noeviction");
    }

    private static String words(long bytes) {
        return bytes >= 10_000_000 ? bytes / 1_000_000 + " MB" : bytes / 1_000 + " kB";
    }

    private static Finding latency(NodeFacts node) {
        String seen = "a round trip takes " + millis(node.median()) + " (median), " + millis(node.worst()) + " (worst)";
        return node.median().compareTo(FAR) > 0 || node.worst().compareTo(VERY_LATE) > 0
                ? Finding.of(Severity.WARNING, "redis-far", node.node(), seen)
                        .meaning(
                                "taking a free lock costs one round trip, giving it back another; a renewal that is late puts "
                                        + "leases at risk",
                                "move the server nearer, or take leases that are much longer than its worst delay")
                : Finding.of(Severity.FINE, "redis-latency", node.node(), seen);
    }

    static String millis(Duration duration) {
        long micros = duration.toNanos() / 1_000;
        return micros >= 10_000 ? micros / 1_000 + " ms" : micros / 1_000 + "." + micros % 1_000 / 100 + " ms";
    }
}
