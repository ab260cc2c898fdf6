package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that goes away must not keep a service's threads for longer than they wanted to wait. */
class LocalQueueOutageTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @BeforeEach
    void theStoreHasAnsweredBefore() {
        bench.contact.make();
    }

    private Caller waits(Duration limit) {
        Caller caller = new Caller(LocalQueueHarness.DEFAULTS, false, null);
        caller.waitNanos = limit.toNanos();
        return bench.joins(caller);
    }

    @Test
    void whoTriesOnceWaitsForASilentStoreForOneSecond() {
        Caller caller = bench.tries();
        bench.claim();
        bench.pass(Duration.ofMillis(999));
        bench.none(Action.Fail.class);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.failed(caller))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer for 1 s");
    }

    @Test
    void whoHasALimitWaitsForASilentStoreUntilThenAndWhoHasNoneForTheStoreTimeout() {
        Caller endless = bench.joins();
        Caller shorter = waits(Duration.ofMillis(300));
        Caller longer = waits(Duration.ofSeconds(4));
        Caller longest = waits(Duration.ofMinutes(4));
        bench.claim();
        bench.pass(Duration.ofMillis(300));
        bench.waitIsOver(shorter);
        bench.pass(Duration.ofMillis(699));
        bench.none(Action.Fail.class);
        bench.pass(Duration.ofMillis(1));
        bench.failed(shorter);
        bench.pass(Duration.ofSeconds(3));
        bench.none(Action.Fail.class);
        bench.waitIsOver(longer);
        bench.failed(longer);
        bench.pass(Duration.ofMillis(5_999));
        bench.none(Action.Fail.class);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactlyInAnyOrder(endless, longest);
    }

    @Test
    void whoHasSeenTheLockBusyIsToldSoAtItsLimitThoughTheStoreHasFallenSilent() {
        Caller caller = waits(Duration.ofSeconds(8));
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.pass(Duration.ofSeconds(7));
        bench.all(Action.SendClaim.class);
        bench.pass(Duration.ofSeconds(1));
        bench.waitIsOver(caller);
        bench.refused(caller);
        bench.none(Action.Fail.class);
    }

    @Test
    void whereNobodyListensWhoTriesIsToldSoAtOnce() {
        Caller caller = bench.tries();
        bench.send(new Event.ClaimFailed(
                bench.claim().id(),
                new StoreUnavailableException(
                        "refused", "test:node", Outcome.NOT_ACQUIRED, new ConnectException("Connection refused"))));
        assertThat(bench.failed(caller)).hasMessage("refused");
    }

    @Test
    void whereNobodyListensWhoHasALimitIsToldSoWhenItIsOver() {
        LocalQueueHarness fresh = new LocalQueueHarness();
        Caller caller = new Caller(LocalQueueHarness.DEFAULTS, false, null);
        caller.waitNanos = Duration.ofSeconds(2).toNanos();
        fresh.joins(caller);
        fresh.send(new Event.ClaimFailed(
                fresh.claim().id(),
                new StoreUnavailableException(
                        "refused", "test:node", Outcome.NOT_ACQUIRED, new ConnectException("Connection refused"))));
        fresh.none(Action.Fail.class);
        fresh.waitIsOver(caller);
        assertThat(fresh.failed(caller)).hasMessage("refused");
    }

    @Test
    void theFirstContactMayTakeTheStoreTimeout() {
        LocalQueueHarness fresh = new LocalQueueHarness();
        Caller caller = fresh.tries();
        Claim claim = fresh.claim();
        fresh.pass(Duration.ofSeconds(9));
        fresh.none(Action.Fail.class);
        fresh.grants(claim);
        fresh.given(caller);
        assertThat(fresh.contact.isMade()).isTrue();
    }
}
