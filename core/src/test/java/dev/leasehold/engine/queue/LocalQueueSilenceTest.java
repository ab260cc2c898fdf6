package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.STORE_TIMEOUT;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show what callers learn of a store that does not answer, and when. */
class LocalQueueSilenceTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void aCallerFailsWhenTheStoreHasBeenSilentForTooLong() {
        Caller caller = harness.joins();
        harness.claim();
        harness.pass(STORE_TIMEOUT.minusMillis(1));
        harness.none(Action.Fail.class);
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.failed(caller)).isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
            assertThat(e.outcome()).as("the claim is under way").isEqualTo(Outcome.UNKNOWN);
            assertThat(e).hasMessageContaining("test:store").hasMessageContaining("lock");
        });
    }

    @Test
    @DisplayName(
            "A caller that tries once does not wait for a store that is down; the others wait for the store timeout")
    void aTryDoesNotWaitForAStoreThatIsDown() {
        Caller patient = harness.joins();
        Caller trying = new Caller(LockOptions.defaults(), true, null);
        harness.joins(trying);
        Claim claim = harness.claim();
        harness.pass(Duration.ofMillis(50));
        harness.claimFails(claim, Outcome.NOT_CARRIED_OUT);
        harness.none(Action.Fail.class);
        harness.passToNextDue();
        harness.claimIsInVain(harness.claim());
        assertThat(harness.failed(trying)).hasMessage("all down");
        harness.pass(STORE_TIMEOUT.minusMillis(200));
        harness.none(Action.Fail.class);
        harness.pass(Duration.ofMillis(200));
        harness.failed(patient);
    }

    @Test
    @DisplayName("A store that says when it will serve is waited for by all callers that would wait for so long anyway")
    void aStoreThatSaysWhenItWillServeIsWaitedFor() {
        Caller endless = harness.joins();
        Caller patient = new Caller(LockOptions.defaults(), false, null);
        patient.waitNanos = Duration.ofMinutes(2).toNanos();
        harness.joins(patient);
        Caller hasty = new Caller(LockOptions.defaults(), false, null);
        hasty.waitNanos = Duration.ofSeconds(40).toNanos();
        harness.joins(hasty);
        harness.claimFails(harness.claim(), Duration.ofMinutes(1));
        harness.passToNextDue();
        harness.claimFails(harness.claim(), Duration.ofSeconds(59));
        harness.pass(STORE_TIMEOUT);
        assertThat(harness.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactlyInAnyOrder(endless, hasty);
        harness.pass(Duration.ofSeconds(30));
        harness.all(Action.SendClaim.class);
        harness.pass(Duration.ofSeconds(20));
        harness.none(Action.Fail.class);
        harness.grants(harness.claim());
        harness.given(patient);
    }

    @Test
    void aCallerFailsAsNotAcquiredWhereNothingWasCarriedOut() {
        Caller caller = harness.joins();
        harness.claimFails(harness.claim(), Outcome.NOT_CARRIED_OUT);
        for (int i = 0; i < 100 && harness.queue.nextDue() != DueTimes.NEVER; i++) {
            harness.pass(Duration.ofMillis(100));
            harness.all(Action.SendClaim.class)
                    .forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_CARRIED_OUT));
        }
        assertThat(harness.failed(caller))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT));
        harness.forget();
        harness.isIdle();
    }

    @Test
    @DisplayName("A store that has answered owes nothing until it is asked again")
    void aStoreThatHasAnsweredOwesNothing() {
        LocalQueueHarness impatient = new LocalQueueHarness(Duration.ZERO, Duration.ofSeconds(1));
        impatient.joins();
        impatient.busy(impatient.claim(), Duration.ofSeconds(60), 1);
        impatient.pass(Duration.ofSeconds(3));
        impatient.none(Action.Fail.class);
    }

    @Test
    void aLateComerHasItsOwnTimeout() {
        Caller early = harness.joins();
        harness.claim();
        harness.pass(Duration.ofSeconds(6));
        Caller late = harness.joins();
        harness.pass(Duration.ofSeconds(4));
        harness.failed(early);
        harness.pass(Duration.ofSeconds(6));
        harness.failed(late);
    }

    @Test
    void aCallerFailsWhenTheReleaseBeforeItIsNotAnswered() {
        Hold hold = harness.held();
        Caller caller = harness.joins();
        harness.ends(hold);
        harness.pass(STORE_TIMEOUT);
        harness.failed(caller);
    }

    @Test
    void aCallerFailsWhenTheRenewalForItIsNotAnswered() {
        Hold opener = harness.held();
        harness.joins();
        Caller unrenewed = harness.joins(UNRENEWED);
        harness.ends(opener);
        harness.released(harness.release());
        harness.grants(harness.claim());
        Hold hold = harness.one(Action.Give.class).hold();
        harness.ends(hold);
        harness.pass(STORE_TIMEOUT);
        harness.failed(unrenewed);
        harness.release();
    }

    @Test
    @DisplayName("Grants that always come too late are a failure, not an endless try")
    void grantsThatAlwaysComeTooLateAreAFailure() {
        Caller caller = harness.tries();
        for (int i = 0; i < 1_000 && harness.all(Action.Fail.class).isEmpty(); i++) {
            for (Action.SendClaim send : harness.all(Action.SendClaim.class)) {
                ClockReading sentAt = harness.now();
                harness.stopFor(Duration.ofSeconds(4));
                harness.grants(send.claim(), Duration.ofSeconds(3), sentAt);
            }
            for (Action.SendRelease release : harness.all(Action.SendRelease.class)) {
                harness.released(release.lease());
            }
            harness.pass(Duration.ofSeconds(1));
            if (i == 999) {
                throw new AssertionError("tried for ever");
            }
        }
        assertThat(caller.outcome).isNotDone();
    }

    @Test
    @DisplayName("A store that answers at once with grants that are over is asked as seldom as one that fails")
    void grantsThatAreOverAreNoFlood() {
        harness.joins();
        int claims = 0;
        for (int i = 0; i < 500; i++) {
            for (Action.SendClaim send : harness.all(Action.SendClaim.class)) {
                claims++;
                harness.grants(send.claim(), Duration.ZERO, harness.now());
            }
            harness.all(Action.SendRelease.class).forEach(release -> harness.released(release.lease()));
            harness.pass(Duration.ofMillis(10));
        }
        assertThat(claims).isBetween(5, 20);
    }

    @Test
    void anOldReleaseThatFailsIsNoSilenceOfTheWholeTime() {
        Hold hold = harness.held();
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.releaseFails(lease);
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim, Duration.ofSeconds(60), 1);
        for (int i = 0; i < 15; i++) {
            harness.pass(Duration.ofSeconds(1));
            harness.all(Action.SendClaim.class).forEach(send -> harness.busy(send.claim(), Duration.ofSeconds(60), 1));
            harness.all(Action.SendRelease.class).forEach(send -> harness.releaseFails(send.lease()));
        }
        harness.none(Action.Fail.class);
        assertThat(caller.outcome).isNotDone();
    }

    @Test
    void onceTheTimeoutIsOverTheClaimIsWithdrawn() {
        Caller caller = harness.joins();
        harness.busy(harness.claim());
        harness.pass(Duration.ofSeconds(5));
        Claim asked = harness.claim();
        harness.claimFails(asked, Outcome.NOT_CARRIED_OUT);
        failClaimsUntilSomebodyFails();
        assertThat(harness.failed(caller)).isInstanceOf(StoreUnavailableException.class);
        assertThat(harness.withdrawal()).isNotNull();
    }

    private void failClaimsUntilSomebodyFails() {
        for (int i = 0; i < 200; i++) {
            List<Action.SendClaim> sent = harness.all(Action.SendClaim.class);
            sent.forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_CARRIED_OUT));
            if (harness.has(Action.Fail.class)) {
                return;
            }
            harness.pass(Duration.ofMillis(100));
        }
    }
}
