package dev.leasehold.redis.script;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A waiter that asks for it has its inbox called by the very server that has its place in the queue. */
class CalledInboxTest {

    private static final String LOCK = "leasehold:{x}";

    /** A script that begins with this runs for a user that has no right to publish anything. */
    private static final String WITHOUT_PUBLISH = "local true_redis = redis\n"
            + "local redis = setmetatable({pcall = function() return {err = 'NOPERM'} end}, {__index = true_redis})\n";

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    @BeforeEach
    void hold() {
        redis.get().commands().set(LOCK, "leasehold|1|holder:1|1|0|1|them", SetArgs.Builder.px(60_000));
    }

    /** Returns what the server says of the inbox. */
    private String ask(String scriptBegins) {
        String answer = redis.get()
                .commands()
                .eval(
                        scriptBegins + Script.CLAIM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {LOCK, LOCK + ":token", LOCK + ":queue"},
                        "leasehold|1|waiter:7|",
                        "owner",
                        "30000",
                        "0",
                        "1|1|-1|1|leasehold:inbox:|x",
                        "12500|" + "0".repeat(32) + "|waiter:7|5000|0|leasehold:inbox:waiter|owner")
                .toString();
        assertThat(answer).startsWith("[busy|1|");
        return answer.split("\\|")[4];
    }

    @Test
    void aServerThatNobodyHearsSaysSo() {
        assertThat(ask("")).isEqualTo("0");
    }

    @Test
    void aServerThatIsHeardSaysSo() throws Exception {
        try (RedisClient client = RedisClient.create(redis.get().uri());
                StatefulRedisPubSubConnection<String, String> inbox = client.connectPubSub()) {
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            inbox.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    told.add(message);
                }
            });
            inbox.sync().subscribe("leasehold:inbox:waiter");
            assertThat(ask("")).isEqualTo("1");
            assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("called");
        }
    }

    /** Nobody knows who would have heard it. */
    @Test
    void aServerThatMayNotCallCountsAsHeard() {
        assertThat(ask(WITHOUT_PUBLISH)).isEqualTo("1");
    }
}
