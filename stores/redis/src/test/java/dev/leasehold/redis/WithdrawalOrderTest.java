package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.Script;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * These tests are about a claim and its withdrawal, sent one after the other to servers that know neither script. Found with
 * 32 contenders that all began at once, on new masters: the first ballot was answered that its script is not known, was sent
 * again as a whole, and came after its own withdrawal; the gate was busy with it for five seconds, until it was withdrawn
 * once more.
 */
class WithdrawalOrderTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int CLAIMS = 5;

    @Test
    void aClaimWithAnUnknownScriptPrecedesItsWithdrawal() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            nothingIsLeft(new RedisStoreProvider().create(StoreUri.parse(server.uri())), List.of(server));
        }
    }

    @Test
    void aBallotWithAnUnknownScriptPrecedesItsWithdrawal() throws Exception {
        try (Masters masters = Masters.start(3)) {
            RedlockStore quorum = RedlockStore.of(masters.uris());
            quorum.initialize();
            nothingIsLeft(quorum, masters.servers);
        }
    }

    private static void nothingIsLeft(StoreFactory factory, List<RedisProcess> servers) throws Exception {
        // Or both would be sent again, in their order.
        servers.forEach(server -> server.commands().scriptLoad(Script.WITHDRAW.text()));
        try (RealTime time = new RealTime()) {
            Store store = factory.open(
                    new StoreContext("client", "owner", "", time, Duration.ofSeconds(20), new NoSignals()));
            for (int i = 1; i <= CLAIMS; i++) {
                ClaimId claim = new ClaimId("client", i);
                CompletionStage<?> claimed = store.claim(new Claim(claim, "x" + i, LEASE, 0, false));
                get(store.withdraw("x" + i, claim));
                get(claimed.handle((answer, failure) -> ""));
                // Answered after all that was sent before; the first time, that is the question for the masters'
                // clocks.
                get(store.inspect(NamePattern.of("none")));
            }
            for (RedisProcess server : servers) {
                assertThat(server.commands().keys("leasehold:{x*}")).isEmpty();
            }
            store.close();
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }
}
