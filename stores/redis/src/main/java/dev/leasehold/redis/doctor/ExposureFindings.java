package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Exposure findings tell which others can reach a server, and whether traffic to it can be read. */
final class ExposureFindings {

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "-127.0.0.1", "::1", "-::1", "localhost");

    private ExposureFindings() {}

    /**
     * Judges.
     *
     * @param open whether a stranger without a password was let in
     */
    static List<Finding> of(NodeFacts node, boolean open, boolean local, boolean tls, boolean password) {
        List<Finding> findings = new ArrayList<>();
        if (password && !tls && !local) {
            findings.add(Finding.of(
                            Severity.WARNING,
                            "redis-password-in-clear",
                            node.node(),
                            "the password travels without TLS")
                    .meaning(
                            "anybody who can read the traffic can take, break and forge locks",
                            "use rediss://, and enable TLS at the server"));
        }
        findings.add(
                open
                        ? opened(node, local)
                        : Finding.of(Severity.FINE, "redis-closed", node.node(), "it wants a password"));
        return findings;
    }

    private static Finding opened(NodeFacts node, boolean local) {
        String seen = "the default user needs no password";
        String remedy = "set a password, and bind only where it is needed";
        if (!local) {
            return Finding.of(Severity.WARNING, "redis-open", node.node(), seen)
                    .meaning("everybody who reaches it can take, break and forge locks", remedy);
        }
        String guard = node.setting("protected-mode");
        String bind = node.setting("bind");
        if (guard == null || bind == null) {
            return Finding.of(
                            Severity.NOTE,
                            "redis-open-not-seen",
                            node.node(),
                            seen + "; whether it can be reached from elsewhere may not be seen by this user")
                    .meaning("if it can, everybody who reaches it can take, break and forge locks", remedy);
        }
        boolean everywhere = bind.isEmpty() || !LOOPBACK.containsAll(List.of(bind.split(" ")));
        return guard.equals("no") && everywhere
                ? Finding.of(
                                Severity.WARNING,
                                "redis-open",
                                node.node(),
                                seen + ", protected-mode is off, and it listens beyond this machine")
                        .meaning("everybody who reaches it can take, break and forge locks", remedy)
                : Finding.of(Severity.FINE, "redis-closed", node.node(), "it is reached from this machine only");
    }
}
