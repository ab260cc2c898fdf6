package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZKUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show what the first use of a name costs, with a lock's node that is missing, or with all above it. */
@Tag("slow")
class MissingPathTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String lock = "lock-" + UUID.randomUUID();
    private final TestTime time = new TestTime();
    private final Store store =
            ZOO.get().store(60_000).open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()));
    private long claims;

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    private void cycle(String name) throws Exception {
        Claim claim = new Claim(new ClaimId("c", ++claims), name, Duration.ofMinutes(10), 0, true);
        ClaimAnswer answer = get(store.claim(claim));
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(get(store.release(((ClaimAnswer.Granted) answer).lease(), Duration.ZERO)))
                .isEqualTo(ReleaseAnswer.RELEASED);
    }

    private long requests(String name) throws Exception {
        long before = ZOO.get().server().serverStats().getPacketsReceived();
        cycle(name);
        return ZOO.get().server().serverStats().getPacketsReceived() - before;
    }

    /** The session is there, and so is the way to the locks. */
    @BeforeEach
    void useOnce() throws Exception {
        cycle("first-" + lock);
    }

    /** Pings may come in between, so the cheapest of several counts. */
    @Test
    void theFirstUseOfANameTakesSixRequests() throws Exception {
        long cheapest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            cheapest = Math.min(cheapest, requests(lock + i));
        }
        assertThat(cheapest).isEqualTo(6);
    }

    @Test
    void theFirstUseAfterAMinuteTakesSixRequests() throws Exception {
        long cheapest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            cycle(lock + i);
            ZOO.get().removeEmptyContainers();
            assertThat(ZOO.get().probe.exists(OneServer.LOCKS + lock + i, false))
                    .isNull();
            cheapest = Math.min(cheapest, requests(lock + i));
        }
        assertThat(cheapest).isEqualTo(6);
    }

    @Test
    void aWayThatSomebodyHasDeletedIsMadeAnew() throws Exception {
        ZKUtil.deleteRecursive(ZOO.get().probe, "/it/leasehold/locks");
        cycle(lock);
        assertThat(ZOO.get().probe.exists(OneServer.LOCKS + lock, false)).isNotNull();
    }
}
