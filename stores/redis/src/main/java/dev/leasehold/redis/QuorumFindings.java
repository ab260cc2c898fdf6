package dev.leasehold.redis;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.doctor.ClockFindings;
import dev.leasehold.redis.doctor.Doctor;
import dev.leasehold.redis.doctor.NodeFacts;
import dev.leasehold.redis.doctor.PersistenceFindings;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.QuorumFailures;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Quorum findings concern the masters of a quorum as a group: how many may fail, and whether they fail independently. */
final class QuorumFindings implements Doctor.Duty {

    private final String name;
    private final int size;
    private final MarkerRules rules;

    QuorumFindings(String name, int size, MarkerRules rules) {
        this.name = name;
        this.size = size;
        this.rules = rules;
    }

    private int majority() {
        return size / 2 + 1;
    }

    /** Returns how many masters may fail so that a majority is left. */
    private int spare() {
        return size - majority();
    }

    Finding number() {
        String seen = size == 1 ? "1 master" : size + " masters";
        if (spare() == 0) {
            return Finding.of(Severity.WARNING, "redlock-no-spare", name, seen + ", all of which have to be up")
                    .meaning(
                            "while one is down or has no vote nobody gets a lock, and leases end",
                            "use three masters, or five; for one, redis:// does the same with less");
        }
        String may = spare() + (spare() == 1 ? " may fail" : " may fail at once");
        return size % 2 == 0
                ? Finding.of(Severity.NOTE, "redlock-even", name, seen + ", " + may)
                        .meaning(
                                "no more than of " + (size - 1) + ", and a majority takes one more answer",
                                "use an odd number")
                : Finding.of(Severity.FINE, "redlock-masters", name, seen + ", " + may);
    }

    /** Reports one server that is listed by several names, which the id of its run shows. */
    List<Finding> sameServer(List<NodeFacts> nodes) {
        Map<String, List<String>> byRun = new LinkedHashMap<>();
        for (NodeFacts node : nodes) {
            if (!node.field("run_id").isEmpty()) {
                byRun.computeIfAbsent(node.field("run_id"), run -> new ArrayList<>())
                        .add(node.node());
            }
        }
        return together(byRun.values()).stream()
                .map(same -> Finding.of(
                                Severity.WARNING,
                                "redlock-same-server",
                                name,
                                String.join(" and ", same) + " are one server")
                        .meaning(
                                "it has " + same.size() + " votes, and all of them are gone when it fails",
                                "name " + size + " different servers"))
                .toList();
    }

    /**
     * Reports masters that one machine takes with it when it fails.
     *
     * @param addresses the machine's address by the master's name
     */
    List<Finding> sameHost(Map<String, String> addresses) {
        Map<String, List<String>> byAddress = new LinkedHashMap<>();
        addresses.forEach((node, address) ->
                byAddress.computeIfAbsent(address, at -> new ArrayList<>()).add(node));
        return together(byAddress.values()).stream()
                .map(same -> Finding.of(
                                same.size() > spare() ? Severity.WARNING : Severity.NOTE,
                                "redlock-same-host",
                                name,
                                String.join(" and ", same) + " are on one machine")
                        .meaning(
                                same.size() > spare()
                                        ? "when that machine fails nobody gets a lock, and leases end"
                                        : "when that machine fails, " + same.size() + " votes are gone at once",
                                "spread the masters over machines that fail one by one"))
                .toList();
    }

    private static List<List<String>> together(Collection<List<String>> groups) {
        return groups.stream().filter(group -> group.size() > 1).toList();
    }

    /**
     * Compares each clock with the median, from which tokens are made: a node refuses a proposal too far ahead of its own.
     */
    List<Finding> clocks(List<NodeFacts> nodes) {
        List<NodeFacts> known =
                nodes.stream().filter(node -> node.ahead() != null).toList();
        List<Finding> findings = new ArrayList<>();
        if (known.size() < 2) {
            return findings;
        }
        List<NodeFacts> sorted = known.stream()
                .sorted((one, other) -> Long.compare(ahead(one), ahead(other)))
                .toList();
        NodeFacts middle = sorted.get(sorted.size() / 2);
        long limit = rules.maxLease().toNanos() / 2_000;
        for (NodeFacts node : known) {
            if (node.equals(middle)) {
                continue;
            }
            long ahead = ahead(node) - ahead(middle);
            long error = node.error() + middle.error();
            String seen = "its clock is " + ClockFindings.difference(ahead, error) + " that of " + middle.node()
                    + "; half of maxLeaseDuration, "
                    + QuorumFailures.seconds(rules.maxLease().dividedBy(2))
                    + ", is the limit";
            long sure = Math.abs(ahead) - error;
            Severity severity = sure > limit ? Severity.WARNING : sure > limit / 2 ? Severity.NOTE : Severity.FINE;
            Finding finding = Finding.of(
                    severity, severity == Severity.FINE ? "redlock-clocks" : "redlock-clocks-apart", node.node(), seen);
            findings.add(
                    severity == Severity.FINE
                            ? finding
                            : finding.meaning(
                                    sure > limit
                                            ? "it and the others refuse each other's tokens, so that it counts as down"
                                            : "beyond the limit it would count as down",
                                    "have the clocks kept right by NTP; set a master's clock only slowly"));
        }
        return findings;
    }

    private static long ahead(NodeFacts node) {
        Long ahead = node.ahead();
        return ahead == null ? 0 : ahead;
    }

    /** Reports which masters have a vote, and which follow other rules. */
    List<Finding> votes(List<MasterVote> votes) {
        List<Finding> findings = new ArrayList<>();
        int have = (int) votes.stream().filter(MasterVote::hasVote).count();
        for (MasterVote vote : votes) {
            Duration left = vote.noVoteFor();
            if (left == null) {
                findings.addAll(unseen(vote));
            } else if (left.isZero()) {
                findings.add(Finding.of(Severity.FINE, "redlock-vote", vote.node(), "it has a vote"));
            } else {
                findings.add(Finding.of(
                                Severity.NOTE,
                                "redlock-no-vote",
                                vote.node(),
                                "it has no vote for another " + QuorumFailures.seconds(left))
                        .meaning(
                                "it was started, flushed or resynchronised lately and may have forgotten leases; until "
                                        + "then it counts as down",
                                "wait"));
            }
        }
        if (have < majority()) {
            findings.add(Finding.of(
                            Severity.SERIOUS,
                            "redlock-no-majority",
                            name,
                            have + " of " + size + " masters have a vote")
                    .meaning(
                            "nobody gets a lock before " + majority() + " have one, and leases end",
                            "bring back those that are down; the others get their votes in time. If the quorum is new, "
                                    + "leasehold quorum init opens it at once"));
        }
        return findings;
    }

    private List<Finding> unseen(MasterVote vote) {
        if (vote.failure() == null || !(vote.failure().getCause() instanceof RedisCommandExecutionException error)) {
            return List.of(); // It was not reached, which has been said.
        }
        if (!RedisFailures.code(error).equals("LEASEHOLD_QUORUM")) {
            return List.of(Finding.of(
                            Severity.WARNING,
                            "redlock-vote-not-seen",
                            vote.node(),
                            QuorumFailures.words(vote.failure()))
                    .meaning("it counts as down", "see the reason"));
        }
        return List.of(Finding.of(
                        Severity.SERIOUS,
                        "redlock-rules-differ",
                        vote.node(),
                        "it was set up for other rules than maxLeaseDuration="
                                + rules.maxLease().toMillis()
                                + "ms and trustPersistence=" + rules.trustPersistence() + ": "
                                + String.valueOf(error.getMessage()).replaceFirst("^.*(?=LEASEHOLD_QUORUM)", ""))
                .meaning(
                        "it refuses this client: a client with another idea of the longest lease would count on it too early",
                        "give all clients the same; to change the rules, stop all clients, delete the key "
                                + rules.key() + " on every master, and wait for the longest lease"));
    }

    /** Reports what a restart of this master, or a fail-over from it, does to locks. */
    @Override
    public List<Finding> of(NodeFacts node) {
        List<Finding> findings = new ArrayList<>();
        findings.add(independence(node));
        findings.add(
                rules.trustPersistence()
                        ? trusted(node)
                        : Finding.of(
                                Severity.FINE,
                                "redlock-restart",
                                node.node(),
                                "after a restart it has no vote for " + QuorumFailures.seconds(rules.waitFor())
                                        + ", so it may forget what it wants"));
        findings.addAll(PersistenceFindings.disk(node));
        return findings;
    }

    private Finding independence(NodeFacts node) {
        String fault = rules.trustPersistence()
                ? "a fail-over of a master to a replica that lacks the latest locks"
                : "a fail-over of a master whose old server still answers some clients";
        String alone =
                "a master of a quorum stands alone: let no Sentinel, no cluster and nobody promote a replica in its place";
        if (!node.isMaster()) {
            return Finding.of(Severity.WARNING, "redlock-not-a-master", node.node(), "it is a replica")
                    .meaning("it has no vote; should it be promoted, two servers have had the same vote", alone)
                    .fencedOnlyAfter(fault);
        }
        return node.replicas() == 0
                ? Finding.of(Severity.FINE, "redlock-independent", node.node(), "a master without replicas")
                : Finding.of(
                                Severity.WARNING,
                                "redlock-replicas",
                                node.node(),
                                node.replicas() == 1 ? "it has a replica" : "it has " + node.replicas() + " replicas")
                        .meaning(
                                "should one be promoted, clients may ask different servers for the same vote, and two hold the lock",
                                alone)
                        .fencedOnlyAfter(fault);
    }

    private static Finding trusted(NodeFacts node) {
        boolean log = node.number("aof_enabled") == 1;
        String fsync = node.setting("appendfsync");
        String remedy = "set appendonly yes and appendfsync always on every master, or leave trustPersistence out";
        if (log && "always".equals(fsync)) {
            return Finding.of(
                    Severity.FINE, "redlock-trust", node.node(), "it is trusted to forget nothing, appendfsync always");
        }
        if (log && fsync == null) {
            return Finding.of(
                            Severity.NOTE,
                            "redlock-trust-not-seen",
                            node.node(),
                            "it is trusted to forget nothing; whether appendfsync is always may not be seen by this user")
                    .meaning("if it is not, a crash forgets leases, and the lock is granted again", remedy)
                    .fencedOnlyAfter("a crash of a master's machine (appendfsync was not seen)");
        }
        return Finding.of(
                        Severity.WARNING,
                        "redlock-trust-misplaced",
                        node.node(),
                        "it is trusted to forget nothing, but "
                                + (log ? "appendfsync is " + fsync : "keeps no append-only file"))
                .meaning(
                        "it keeps its vote over a crash that has made it forget leases, and the lock is granted again",
                        remedy)
                .fencedOnlyAfter(log ? "a crash of a master's machine" : "a restart of a master");
    }

    Finding unreached(String node, String why, int reached) {
        return Finding.of(
                        reached < majority() ? Severity.SERIOUS : Severity.WARNING,
                        "redlock-master-unreached",
                        node,
                        "it was not reached: " + why)
                .meaning(
                        reached < majority()
                                ? "without a majority nobody gets a lock, and leases end"
                                : "its vote is missing; " + (reached - majority()) + " more may fail",
                        "see whether it runs, and whether this user may enter");
    }
}
