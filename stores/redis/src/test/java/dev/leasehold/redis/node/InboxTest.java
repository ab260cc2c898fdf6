package dev.leasehold.redis.node;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An inbox is open while its client waits; one that is called and that nobody hears is opened anew. */
class InboxTest {

    private static final long SECOND = 1_000_000_000L;

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    @Test
    void onlyAQuestionOfItsOwnTimeSaysThatItIsUnheard() throws Exception {
        try (RealTime time = new RealTime();
                RedisClient client = RedisClient.create()) {
            StoreContext context =
                    new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals());
            RedisURI uri = RedisURI.create(redis.get().uri());
            Inbox inbox = new Inbox(
                    new UriConnector(client, uri, "redis"),
                    context,
                    KeyNames.of(KeyNames.ROOT, ""),
                    true,
                    OpenRedisStore.listener(context));
            long before = time.nanos();
            RedisConnection open = opened(inbox);

            inbox.called(false, before);
            assertThat(opened(inbox)).isSameAs(open);
            assertThat(inbox.wantsCall(before + SECOND)).isFalse();

            long later = time.nanos() + SECOND;
            assertThat(inbox.wantsCall(later - SECOND)).isFalse();
            assertThat(inbox.wantsCall(later)).isTrue();
            assertThat(inbox.wantsCall(later))
                    .as("although that one was granted")
                    .isTrue();
            inbox.called(true, later);
            assertThat(inbox.wantsCall(later + SECOND / 2)).isFalse();
            assertThat(inbox.wantsCall(later + SECOND)).isTrue();
            assertThat(opened(inbox)).isSameAs(open);

            inbox.called(false, time.nanos());
            await().untilAsserted(() -> assertThat(opened(inbox)).isNotSameAs(open));
            inbox.close().get(A_MINUTE, TimeUnit.SECONDS);
        }
    }

    @Test
    void aClientListensBeforeItsClaimJoinsAQueue() {
        RedisCommands<String, String> server = redis.get().commands();
        server.set("leasehold:{x}", "leasehold|1|holder:1|1|0|1|them", SetArgs.Builder.px(300_000));
        try (Leasehold client = Leasehold.connect(redis.get().uri())) {
            CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
            await().until(() -> server.exists("leasehold:{x}:queue") == 1);
            assertThat(server.pubsubChannels("leasehold:inbox:*")).hasSize(1);
            waiting.cancel(true);
        }
    }

    private static RedisConnection opened(Inbox inbox) throws Exception {
        return inbox.open().get(A_MINUTE, TimeUnit.SECONDS);
    }
}
