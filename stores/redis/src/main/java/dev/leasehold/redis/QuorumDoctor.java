package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.doctor.Deployment;
import dev.leasehold.redis.doctor.Doctor;
import dev.leasehold.redis.doctor.NodeFacts;
import dev.leasehold.redis.quorum.QuorumFailures;
import dev.leasehold.spi.StoreContext;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The quorum doctor looks at the masters of a quorum: at each as the {@link Doctor} of a single Redis does, with other
 * duties, and then at all of them together. Only if none can be reached is there no examination.
 */
final class QuorumDoctor {

    private final String name;
    private final List<RedisURI> masters;
    private final RedlockOptions options;
    private final StoreContext context;
    private final RedisClient client;
    private final Duration timeout;
    private final QuorumFindings judge;

    QuorumDoctor(
            String name,
            List<RedisURI> masters,
            RedlockOptions options,
            StoreContext context,
            RedisClient client,
            Duration timeout) {
        this.name = name;
        this.masters = masters;
        this.options = options;
        this.context = context;
        this.client = client;
        this.timeout = timeout;
        judge = new QuorumFindings(name, masters.size(), options.marker());
    }

    List<Finding> examine() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        List<NodeFacts> nodes = new ArrayList<>();
        Map<String, LockException> failures = new LinkedHashMap<>();
        for (RedisURI master : masters) {
            String node = RedisUris.name(master);
            Deployment deployment = new Deployment(List.of(master), false);
            Doctor doctor = new Doctor(node, deployment, options.settings(), context, client, timeout, judge);
            try {
                findings.addAll(doctor.examine());
                nodes.addAll(doctor.nodes().stream()
                        .filter(seen -> seen.node().equals(node))
                        .toList());
            } catch (LockException e) {
                failures.put(node, e);
            }
        }
        int reached = masters.size() - failures.size();
        if (reached == 0) {
            throw noneReached(failures);
        }
        failures.forEach((node, why) -> findings.add(judge.unreached(node, QuorumFailures.words(why), reached)));
        findings.add(judge.number());
        findings.addAll(judge.sameServer(nodes));
        findings.addAll(judge.sameHost(addresses()));
        findings.addAll(judge.clocks(nodes));
        try (QuorumOpening votes = new QuorumOpening(client, masters, options.marker(), name, timeout)) {
            findings.addAll(judge.votes(votes.look()));
        }
        return findings;
    }

    private LockException noneReached(Map<String, LockException> failures) {
        List<NodeAnswer> answers = new ArrayList<>();
        failures.forEach((node, why) -> answers.add(new NodeAnswer(node, QuorumFailures.words(why))));
        String what = "no master of " + name + " could be examined ("
                + answers.stream().map(NodeAnswer::toString).collect(Collectors.joining("; ")) + ")";
        LockException first = failures.values().iterator().next();
        return failures.values().stream().anyMatch(StoreUnavailableException.class::isInstance)
                ? new StoreUnavailableException(what, name, Outcome.NOT_CARRIED_OUT, answers, null, first)
                : new LockException(what, first);
    }

    /** Returns the masters' addresses. A host without one cannot be reached either, and is reported for that. */
    private Map<String, String> addresses() {
        Map<String, String> addresses = new LinkedHashMap<>();
        for (RedisURI master : masters) {
            String address = address(master.getHost());
            if (!address.isEmpty()) {
                addresses.put(RedisUris.name(master), address);
            }
        }
        return addresses;
    }

    private static String address(String host) {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            return "";
        }
    }
}
