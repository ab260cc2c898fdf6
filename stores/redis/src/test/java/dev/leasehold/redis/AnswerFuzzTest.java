package dev.leasehold.redis;

import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.AnswerFuzz;
import dev.leasehold.testtools.SpoilingProxy;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** These tests are about answers of Redis that make no sense: see {@link AnswerFuzz}. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnswerFuzzTest {

    /** Seeds that have shown something once: they are run in any case. */
    private static final long[] KNOWN = {24};

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<SpoilingProxy> proxies = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closedLater(T closeable) {
        open.add(closeable);
        return closeable;
    }

    private int proxy(RedisProcess server) {
        SpoilingProxy proxy = closedLater(SpoilingProxy.to(server.port(), new SpoiltAnswers()));
        proxies.add(proxy);
        return proxy.port();
    }

    private Leasehold fuzzed(UnaryOperator<LeaseholdBuilder> store) {
        return closedLater(store.apply(Leasehold.builder())
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5)))
                .storeTimeout(Duration.ofSeconds(1))
                .build());
    }

    @Test
    void answersOfOneRedis() throws Exception {
        RedisProcess redis = closedLater(RedisProcess.start(RedisProcess.Version.V7_0));
        Leasehold holder = closedLater(Leasehold.connect(redis.uri()));
        Leasehold fuzzed = fuzzed(builder -> builder.uri("redis://localhost:" + proxy(redis)));
        AnswerFuzz.fuzz(holder, fuzzed, proxies, "redis://localhost:", KNOWN);
    }

    @Test
    void answersOfAQuorum() throws Exception {
        RedlockFixture quorum = closedLater(RedlockFixture.opened(3));
        List<RedisURI> uris = quorum.servers.stream()
                .map(server -> RedisURI.create("redis://localhost:" + proxy(server)))
                .toList();
        RedlockStore store = RedlockStore.of(uris).withNodeTimeout(Duration.ofMillis(500));
        AnswerFuzz.fuzz(
                quorum.client(quorum.store, Duration.ofSeconds(50)),
                fuzzed(builder -> builder.store(store)),
                proxies,
                "localhost:",
                KNOWN);
    }
}
