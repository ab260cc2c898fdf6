package dev.leasehold.testtools;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Unanswered claims are of two kinds, which a store may not confuse: one that was not sent has certainly not been carried out,
 * and of one that was sent nobody knows.
 */
public final class UnansweredClaims {

    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(3);

    private UnansweredClaims() {}

    /**
     * Requires that a claim that could not be sent was certainly not carried out, and that of one that was sent the outcome is
     * unknown.
     *
     * @param proxies the only ways to the store's servers
     * @param proxied makes the store
     * @throws InterruptedException if the thread is interrupted
     */
    public static void areOfTwoKinds(List<FaultProxy> proxies, StoreFactory proxied) throws InterruptedException {
        try (RealTime time = new RealTime()) {
            proxies.forEach(proxy -> proxy.refuse(true));
            try (Store store = proxied.open(context(time))) {
                assertThat(outcome(store)).as("it was not sent").isEqualTo(Outcome.NOT_CARRIED_OUT);
            }
            proxies.forEach(proxy -> proxy.refuse(false));
            try (Store store = proxied.open(context(time))) {
                store.inspect(NamePattern.of("none"))
                        .toCompletableFuture()
                        .orTimeout(A_MINUTE, TimeUnit.SECONDS)
                        .join();
                proxies.forEach(proxy -> proxy.hold(FaultProxy.Way.REQUESTS));
                assertThat(outcome(store)).as("it was sent").isEqualTo(Outcome.UNKNOWN);
                proxies.forEach(FaultProxy::letGo);
            }
        }
    }

    private static StoreContext context(RealTime time) {
        return new StoreContext("unanswered", "unanswered", "", time, STORE_TIMEOUT, new NoSignals());
    }

    private static Outcome outcome(Store store) throws InterruptedException {
        CompletionStage<?> claim =
                store.claim(new Claim(new ClaimId("unanswered", 1), "unanswered", Duration.ofSeconds(30), 0, false));
        try {
            Object answer = claim.toCompletableFuture().get(60, TimeUnit.SECONDS);
            throw new AssertionError("answered: " + answer);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreUnavailableException unavailable) {
                return unavailable.outcome();
            }
            throw new AssertionError("it failed in another way", e);
        } catch (TimeoutException e) {
            throw new AssertionError("the store did not complete its answer", e);
        }
    }
}
