package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests count what a client writes to confirm its session. The server is a real one, but the client's time stands
 * still until a test moves it, so a busy machine changes nothing.
 */
@Tag("slow")
class SessionHeartbeatTest {

    private static final String CLIENTS = "/it/leasehold/clients";
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SESSION = Duration.ofSeconds(60);
    private static final Duration THIRD = SESSION.dividedBy(3);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration STEP = Duration.ofSeconds(1);

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final VirtualTime time = new VirtualTime();
    private FaultProxy proxy;
    private String client;
    private Store store;
    private int claims;

    @BeforeEach
    void open() throws Exception {
        proxy = FaultProxy.to(ZOO.get().port());
        // A client makes what is missing of the way to a node, and then asks again after a while: here that never
        // comes.
        ZOO.get().make(CLIENTS);
        openStore();
    }

    private void openStore() throws Exception {
        client = "c-" + UUID.randomUUID();
        store = Zoo.store("127.0.0.1:" + proxy.port(), SESSION.toMillis())
                .open(new StoreContext(client, client, "", time, LONG, new NoSignals()));
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    private LeaseId acquire() throws Exception {
        claims++;
        String lock = client + '-' + claims;
        ZOO.get().make(OneServer.LOCKS + lock);
        ClaimAnswer answer = get(store.claim(new Claim(new ClaimId(client, claims), lock, LONG, 0, true)));
        // The client's tasks run one after the other: when this is answered, the one that answered the claim has set
        // its timer.
        get(store.inspect(NamePattern.of("none")));
        return ((ClaimAnswer.Granted) answer).lease();
    }

    /**
     * Lets time pass in steps. What a timer starts may run on the thread that has just brought an answer; after each step
     * it has run, since a client's tasks run one after the other, so it is a step late at most, and its next timer is not late.
     */
    private void pass(Duration duration) throws Exception {
        Duration left = duration;
        while (left.compareTo(Duration.ZERO) > 0) {
            Duration step = left.compareTo(STEP) < 0 ? left : STEP;
            get(store.inspect(NamePattern.of("none")));
            time.advance(step);
            get(store.inspect(NamePattern.of("none")));
            left = left.minus(step);
        }
    }

    /** Returns how often the client has written to its own node, once no beat is under way. */
    private int writes() throws Exception {
        // A session's requests are answered in their order. A beat writes twice at most, the second time when the first
        // is answered.
        get(store.inspect(NamePattern.of("none")));
        get(store.inspect(NamePattern.of("none")));
        for (String node : ZOO.get().probe.getChildren(CLIENTS, false)) {
            if (node.startsWith(client)) {
                return 1 + ZOO.get().probe.exists(CLIENTS + '/' + node, false).getVersion();
            }
        }
        return 0;
    }

    @Test
    @DisplayName("a session that carries a lease is confirmed a third of its time-out after the last write, not sooner")
    void heartbeat_whileHeld_isAtAThirdOfTheTimeout() throws Exception {
        acquire();
        int known = 0;
        // The first write is the creation of the lease's node.
        for (int i = 1; i <= 4; i++) {
            pass(THIRD.minus(MOMENT));
            assertThat(writes()).as("writes just before beat %d", i).isEqualTo(known);
            pass(MOMENT);
            assertThat(writes() - known).as("writes of beat %d", i).isBetween(1, 2);
            known = writes();
        }
    }

    @Test
    @DisplayName("a session that carries nothing is not confirmed")
    void heartbeat_nothingHeld_writesNothing() throws Exception {
        LeaseId lease = acquire();
        pass(THIRD);
        int known = writes();
        assertThat(known).isPositive();
        assertThat(get(store.release(lease, Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
        for (int i = 1; i <= 4; i++) {
            pass(THIRD);
            assertThat(writes()).isEqualTo(known);
        }
    }

    @Test
    @DisplayName("after a clock was set, a holder is confirmed within a third of the session timeout")
    void holder_afterClockWasSet_isConfirmedSoon() throws Exception {
        LeaseId lease = acquire();
        pass(THIRD);
        time.jumpWallClock(Duration.ofHours(1));
        assertThatThrownBy(() -> get(store.renew(lease, LONG))).hasMessageContaining("a clock was set");
        pass(THIRD.plus(STEP));
        assertThat(get(store.renew(lease, LONG))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    /** Returns what was written after each of some beats, of which the last two answer renewals of all the leases. */
    private List<Integer> writesWith(int locks) throws Exception {
        List<LeaseId> leases = new ArrayList<>();
        for (int i = 0; i < locks; i++) {
            leases.add(acquire());
        }
        List<Integer> writes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pass(THIRD);
            writes.add(writes());
        }
        pass(THIRD.dividedBy(2));
        writes.add(writes());
        proxy.hold(FaultProxy.Way.ANSWERS);
        List<CompletionStage<RenewAnswer>> renewals = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            leases.forEach(lease -> renewals.add(store.renew(lease, LONG)));
        }
        proxy.letGo();
        for (CompletionStage<RenewAnswer> renewal : renewals) {
            assertThat(get(renewal)).isInstanceOf(RenewAnswer.Renewed.class);
        }
        writes.add(writes());
        return writes;
    }

    @Test
    @DisplayName("a client that holds 20 locks writes no more often to confirm its session than one that holds one")
    void twentyHeldLocks_areConfirmedByTheWritesOfOne() throws Exception {
        List<Integer> ofOne = writesWith(1);
        store.close();
        openStore();
        assertThat(writesWith(20)).isEqualTo(ofOne);
        assertThat(ofOne).doesNotContain(0);
    }
}
