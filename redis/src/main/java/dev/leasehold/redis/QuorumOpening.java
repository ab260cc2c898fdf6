package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.NodeAnswer;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens a new quorum: looks at all masters, and gives them their votes only if all have answered and none has one. */
final class QuorumOpening {

    private final RedisClient client;
    private final List<RedisURI> masters;
    private final MarkerRules rules;
    private final String name;

    QuorumOpening(RedisClient client, List<RedisURI> masters, MarkerRules rules, String name) {
        this.client = client;
        this.masters = masters;
        this.rules = rules;
        this.name = name;
    }

    List<NodeAnswer> open() {
        List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
        try {
            List<NodeAnswer> seen = new ArrayList<>();
            boolean all = true;
            boolean none = true;
            for (RedisURI master : masters) {
                try {
                    StatefulRedisConnection<String, String> connection = client.connect(Wire.CODEC, master);
                    connections.add(connection);
                    List<Object> answer = run(connection, Script.LOOK);
                    long noVote = Reply.number(answer.get(3));
                    none &= noVote > 0;
                    seen.add(answer(master, noVote > 0 ? "has no vote yet" : "has a vote"));
                } catch (RedisException e) {
                    all = false;
                    seen.add(answer(master, words(master, e)));
                }
            }
            if (!all) {
                throw new StoreUnavailableException(
                        "the quorum " + name + " was not opened and nothing was changed, because all masters have to "
                                + "answer (" + list(seen) + ")",
                        name,
                        Outcome.NOT_ACQUIRED,
                        seen,
                        null,
                        null);
            }
            if (!none) {
                throw new LockException("the quorum " + name + " was not opened and nothing was changed, because it is "
                        + "not new: a master has a vote already, and locks may be held (" + list(seen)
                        + "). A master that was restarted gets its vote back by itself");
            }
            List<NodeAnswer> opened = new ArrayList<>();
            for (int i = 0; i < masters.size(); i++) {
                opened.add(answer(masters.get(i), opened(connections.get(i), masters.get(i))));
            }
            return List.copyOf(opened);
        } finally {
            connections.forEach(StatefulRedisConnection::close);
        }
    }

    private String opened(StatefulRedisConnection<String, String> connection, RedisURI master) {
        try {
            return run(connection, Script.OPEN_QUORUM).get(0).equals("opened") ? "has its vote now" : "has a vote";
        } catch (RedisException e) {
            return "was not opened, and will have its vote in time: " + words(master, e);
        }
    }

    private List<Object> run(StatefulRedisConnection<String, String> connection, Script script) {
        @Nullable List<Object> answer = connection
                .sync()
                .eval(script.text(), ScriptOutputType.MULTI, new String[] {MarkerRules.KEY}, rules.text());
        if (answer == null) {
            throw new RedisException("the script gave no answer");
        }
        return answer;
    }

    private static String words(RedisURI master, RedisException failure) {
        return String.valueOf(Failures.ofConnecting(failure, RedisUris.name(master), "its vote")
                .getMessage());
    }

    private static NodeAnswer answer(RedisURI master, String words) {
        return new NodeAnswer(RedisUris.name(master), words);
    }

    private static String list(List<NodeAnswer> answers) {
        return answers.stream().map(NodeAnswer::toString).collect(Collectors.joining("; "));
    }
}
