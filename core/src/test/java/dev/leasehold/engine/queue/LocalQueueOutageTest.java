package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import java.net.ConnectException;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store that goes away must not keep a service's threads for longer than they wanted to wait. */
class LocalQueueOutageTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @BeforeEach
    void theStoreHasAnsweredBefore() {
        harness.contact.make();
    }

    private Caller waits(Duration limit) {
        Caller caller = new Caller(LocalQueueHarness.DEFAULTS, false, null);
        caller.waitNanos = limit.toNanos();
        return harness.joins(caller);
    }

    @Test
    void whoTriesOnceWaitsForASilentStoreForOneSecond() {
        Caller caller = harness.tries();
        harness.claim();
        harness.pass(Duration.ofMillis(999));
        harness.none(Action.Fail.class);
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.failed(caller))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer for 1 s");
    }

    @Test
    @DisplayName("A caller with a limit waits for a silent store until then, one without a limit for the store timeout")
    void aSilentStoreIsWaitedForUntilTheCallersLimit() {
        Caller endless = harness.joins();
        Caller shorter = waits(Duration.ofMillis(300));
        Caller longer = waits(Duration.ofSeconds(4));
        Caller longest = waits(Duration.ofMinutes(4));
        harness.claim();
        harness.pass(Duration.ofMillis(300));
        harness.waitIsOver(shorter);
        harness.pass(Duration.ofMillis(699));
        harness.none(Action.Fail.class);
        harness.pass(Duration.ofMillis(1));
        harness.failed(shorter);
        harness.pass(Duration.ofSeconds(3));
        harness.none(Action.Fail.class);
        harness.waitIsOver(longer);
        harness.failed(longer);
        harness.pass(Duration.ofMillis(5_999));
        harness.none(Action.Fail.class);
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactlyInAnyOrder(endless, longest);
    }

    @Test
    @DisplayName("A caller that has seen the lock busy hears so at its limit though the store has fallen silent")
    void aKnownBusyLockIsReportedInSpiteOfSilence() {
        Caller caller = waits(Duration.ofSeconds(8));
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.pass(Duration.ofSeconds(7));
        harness.all(Action.SendClaim.class);
        harness.pass(Duration.ofSeconds(1));
        harness.waitIsOver(caller);
        harness.refused(caller);
        harness.none(Action.Fail.class);
    }

    @Test
    void whereNobodyListensWhoTriesIsToldSoAtOnce() {
        Caller caller = harness.tries();
        harness.send(new Event.ClaimFailed(
                harness.claim().id(),
                new StoreUnavailableException(
                        "refused", "test:node", Outcome.NOT_CARRIED_OUT, new ConnectException("Connection refused"))));
        assertThat(harness.failed(caller)).hasMessage("refused");
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
                        "refused", "test:node", Outcome.NOT_CARRIED_OUT, new ConnectException("Connection refused"))));
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

    @Test
    void aTryIsAskedForWithinItsSecondAfterLateGrants() {
        assertAskedForWithinASecond(claim -> harness.released(harness.grants(claim, Duration.ZERO, harness.now())));
    }

    @Test
    void aTryIsAskedForWithinItsSecondAfterFailures() {
        assertAskedForWithinASecond(claim -> harness.claimFails(claim, Outcome.NOT_CARRIED_OUT));
    }

    /** A try has one second; a store that has served others badly until now may serve it well. */
    private void assertAskedForWithinASecond(Consumer<Claim> served) {
        harness.joins();
        for (int round = 0; round < 14; round++) {
            served.accept(harness.claim());
            if (round > 8) {
                harness.tries();
                harness.pass(Duration.ofMillis(999));
            }
            while (!harness.has(Action.SendClaim.class)) {
                harness.none(Action.Fail.class);
                harness.passToNextDue();
            }
        }
    }

    /** A run of the command with --slots and -n told of an outage when its grant came after a second. */
    @Test
    void aFirstContactThatGrantsAPermitIsInTime() {
        LocalQueueHarness fresh = LocalQueueHarness.sharing(3);
        Caller caller = fresh.tries();
        Claim claim = fresh.claim();
        fresh.pass(Duration.ofSeconds(9));
        fresh.grants(claim);
        fresh.given(caller);
        fresh.none(Action.Fail.class);
    }
}
