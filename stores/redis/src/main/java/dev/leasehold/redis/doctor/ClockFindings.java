package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.ArrayList;
import java.util.List;

/**
 * Clock findings tell how the servers' clocks differ from each other and from this machine's, each with its bound of error.
 */
public final class ClockFindings {

    /**
     * This is a hundredth of the usual lease, which is how far a holder's own deadline stays before the end of his
     * lease.
     */
    private static final long APART_MICROS = 300_000;

    private static final long WRONG_MICROS = 1_000_000;

    private ClockFindings() {}

    /** Compares with the first, which is a master. */
    static List<Finding> of(List<NodeFacts> nodes) {
        List<Finding> findings = new ArrayList<>();
        NodeFacts first = nodes.get(0);
        Long reference = first.ahead();
        for (NodeFacts node : nodes) {
            Long ahead = node.ahead();
            if (ahead == null) {
                continue;
            }
            findings.add(here(node, ahead));
            if (reference != null && !node.node().equals(first.node())) {
                findings.add(other(first, node, ahead - reference));
            }
        }
        return findings;
    }

    private static Finding here(NodeFacts node, long ahead) {
        String seen = "its clock is " + difference(ahead, node.error()) + " this machine's";
        return Math.abs(ahead) - node.error() > WRONG_MICROS
                ? Finding.of(Severity.WARNING, "redis-clock-wrong", node.node(), seen)
                        .meaning(
                                "locks do not depend on this machine's clock; but if it is the server's that is wrong, setting it "
                                        + "right at one stroke ends leases early or late",
                                "have both kept right by NTP, and set a server's clock only slowly")
                        .fencedOnlyAfter("the server's clock has been set")
                : Finding.of(Severity.FINE, "redis-clock", node.node(), seen);
    }

    private static Finding other(NodeFacts first, NodeFacts node, long ahead) {
        long error = first.error() + node.error();
        String seen = "its clock is " + difference(ahead, error) + " that of " + first.node();
        return Math.abs(ahead) - error > APART_MICROS
                ? Finding.of(Severity.WARNING, "redis-clocks-differ", node.node(), seen)
                        .meaning(
                                "a lease that outlives a fail-over between the two ends that much early or late; if early, two "
                                        + "hold the lock",
                                "have the clocks kept right by NTP")
                        .fencedOnlyAfter("a fail-over between servers whose clocks differ")
                : Finding.of(Severity.FINE, "redis-clocks-agree", node.node(), seen);
    }

    /** Words a difference, for example {@code 1.5 ms (± 0.2 ms) behind}. */
    public static String difference(long ahead, long error) {
        return millis(Math.abs(ahead)) + " (± " + millis(error) + ") " + (ahead < 0 ? "behind" : "ahead of");
    }

    private static String millis(long micros) {
        return ServerFindings.millis(java.time.Duration.ofNanos(micros * 1_000));
    }
}
