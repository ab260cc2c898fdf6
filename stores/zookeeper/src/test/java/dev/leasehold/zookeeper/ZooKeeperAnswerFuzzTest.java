package dev.leasehold.zookeeper;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.testtools.AnswerFuzz;
import dev.leasehold.testtools.SpoilingProxy;
import dev.leasehold.testtools.SpoiltFrames;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about answers of ZooKeeper that make no sense: see {@link AnswerFuzz}. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ZooKeeperAnswerFuzzTest {

    private static final int SESSION = 10_000;

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    @Test
    void answersOfOneServer() throws Exception {
        int port = ZOO.get().port();
        try (SpoilingProxy proxy = SpoilingProxy.to(port, SpoiltFrames.ofZooKeeper());
                Leasehold holder = Leasehold.connect(Zoo.uri("127.0.0.1:" + port, SESSION));
                Leasehold fuzzed = Leasehold.builder()
                        .uri(Zoo.uri("127.0.0.1:" + proxy.port(), SESSION))
                        .options(LockOptions.defaults().withLeaseDuration(Duration.ofMillis(SESSION)))
                        .storeTimeout(Duration.ofSeconds(3))
                        .build()) {
            AnswerFuzz.fuzz(holder, fuzzed, List.of(proxy), "zookeeper:");
        }
    }
}
