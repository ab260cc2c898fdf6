package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.QuorumFailures;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A quorum opening looks at the votes of all masters; and opens a new quorum, which gives them their votes only if all have
 * answered and none has one. Blocks, one master after the other. To be closed.
 */
final class QuorumOpening implements AutoCloseable {

    private final RedisClient client;
    private final List<RedisURI> masters;
    private final MarkerRules rules;
    private final String name;
    private final Map<RedisURI, StatefulRedisConnection<String, String>> connections = new HashMap<>();

    QuorumOpening(RedisClient client, List<RedisURI> masters, MarkerRules rules, String name, Duration timeout) {
        this.client = client;
        this.masters = masters.stream()
                .map(master -> RedisURI.builder(master).withTimeout(timeout).build())
                .toList();
        this.rules = rules;
        this.name = name;
    }

    /** Returns the masters' votes, in the order of the masters. */
    List<MasterVote> look() {
        return masters.stream().map(this::vote).toList();
    }

    private MasterVote vote(RedisURI master) {
        String node = RedisUris.name(master);
        try {
            return MasterVote.of(
                    node,
                    Duration.ofMillis(Reply.number(run(master, Script.LOOK).get(3))));
        } catch (RedisException e) {
            return MasterVote.failed(node, failure(master, e));
        }
    }

    List<NodeAnswer> open() {
        List<MasterVote> votes = look();
        List<NodeAnswer> seen = votes.stream().map(MasterVote::answer).toList();
        String all = seen.stream().map(NodeAnswer::toString).collect(Collectors.joining("; "));
        for (MasterVote vote : votes) {
            if (vote.failure() != null && !(vote.failure() instanceof StoreUnavailableException)) {
                throw new LockException(
                        "the quorum " + name + " was not opened and nothing was changed, because a master refuses ("
                                + all + ")",
                        vote.failure());
            }
        }
        if (votes.stream().anyMatch(vote -> vote.failure() != null)) {
            throw new StoreUnavailableException(
                    "the quorum " + name
                            + " was not opened and nothing was changed, because all masters have to answer (" + all
                            + ")",
                    name,
                    Outcome.NOT_CARRIED_OUT,
                    seen,
                    null,
                    null);
        }
        if (votes.stream().anyMatch(MasterVote::hasVote)) {
            throw new LockException("the quorum " + name + " was not opened and nothing was changed, because it is not "
                    + "new: a master has a vote already, and locks may be held (" + all
                    + "). A master that was restarted gets its vote back by itself");
        }
        return masters.stream().map(this::opened).toList();
    }

    private NodeAnswer opened(RedisURI master) {
        String words;
        try {
            words = run(master, Script.OPEN_QUORUM).get(0).equals("opened") ? "has its vote now" : "has a vote";
        } catch (RedisException e) {
            words = "was not opened, and will have its vote in time: " + QuorumFailures.words(failure(master, e));
        }
        return new NodeAnswer(RedisUris.name(master), words);
    }

    private List<Object> run(RedisURI master, Script script) {
        StatefulRedisConnection<String, String> connection =
                connections.computeIfAbsent(master, to -> client.connect(RedisConnection.CODEC, to));
        return Optional.<List<Object>>ofNullable(connection
                        .sync()
                        .eval(script.text(), ScriptOutputType.MULTI, new String[] {rules.key()}, rules.text()))
                .orElseThrow(() -> new RedisException("the script gave no answer"));
    }

    private static LockException failure(RedisURI master, RedisException failure) {
        return RedisFailures.ofConnecting(failure, RedisUris.name(master), "its vote");
    }

    @Override
    public void close() {
        connections.values().forEach(StatefulRedisConnection::close);
    }
}
