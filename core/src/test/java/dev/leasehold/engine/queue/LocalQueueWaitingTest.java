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
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long callers wait: for a holder, for their limit, for a store that is silent. Busy and failed are never confused. */
class LocalQueueWaitingTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    // ---- busy ----

    @Test
    void aTryIsRefusedWhileTheProcessItselfHolds() {
        harness.held();
        harness.refused(harness.tries());
        harness.none(Action.SendClaim.class);
    }

    @Test
    void aTryIsServedIfTheHoldHasRunOutUnseen() {
        harness.held(UNRENEWED);
        harness.stopFor(Duration.ofSeconds(31));
        Caller caller = harness.tries();
        harness.none(Action.Refuse.class);
        harness.grants(harness.claim());
        harness.given(caller);
    }

    @Test
    void aTryIsRefusedWhenTheStoreSaysBusy() {
        Caller caller = harness.tries();
        harness.busy(harness.claim());
        harness.refused(caller);
    }

    @Test
    void aTryBehindAWaiterToWhomTheStoreHasSaidBusyIsRefusedAtOnce() {
        harness.joins();
        harness.busy(harness.claim());
        harness.refused(harness.tries());
    }

    @Test
    void aTryBehindAWaiterIsNotBusyBeforeTheStoreHasSaidAWord() {
        Caller waiter = harness.joins();
        Claim claim = harness.claim();
        Caller trying = harness.tries();
        harness.none(Action.Refuse.class);
        harness.claimFails(claim, Outcome.NOT_ACQUIRED);
        failClaimsFor(STORE_TIMEOUT);
        assertThat(harness.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactly(waiter, trying);
    }

    @Test
    void aTryBehindAWaiterIsNotBusyOnceTheStoreHasFallenSilent() {
        harness.joins();
        harness.busy(harness.claim());
        harness.pass(Duration.ofSeconds(5));
        harness.claimFails(harness.claim(), Outcome.NOT_ACQUIRED);
        harness.tries();
        harness.none(Action.Refuse.class);
    }

    @Test
    void aTryBehindAWaiterIsRefusedWhenTheWaiterIsServed() {
        Caller waiter = harness.joins();
        Claim claim = harness.claim();
        Caller trying = harness.tries();
        harness.grants(claim);
        harness.given(waiter);
        harness.refused(trying);
    }

    @Test
    void aWaitThatIsOverIsBusyIfTheStoreHasSaidSo() {
        Caller caller = harness.joins();
        harness.busy(harness.claim());
        harness.waitIsOver(caller);
        harness.refused(caller);
        harness.withdrawal();
    }

    @Test
    void aWaitThatIsOverIsBusyBehindAHolderOfThisProcess() {
        harness.held();
        Caller caller = harness.joins();
        harness.waitIsOver(caller);
        harness.refused(caller);
    }

    @Test
    void aWaitThatIsOverBeforeTheStoreHasSaidAWordWaitsForTheFirst() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.waitIsOver(caller);
        harness.none(Action.Refuse.class);
        harness.busy(claim);
        harness.refused(caller);
    }

    @Test
    void thatOthersHaveComeLaterIsNoReasonToBeBusy() {
        Caller first = harness.joins();
        Claim claim = harness.claim();
        harness.joins();
        harness.waitIsOver(first);
        harness.none(Action.Refuse.class);
        harness.grants(claim);
        harness.given(first);
    }

    @Test
    void aWaitThatIsOverTwiceIsAnsweredOnce() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.waitIsOver(caller);
        harness.waitIsOver(caller);
        harness.busy(claim);
        harness.waitIsOver(caller);
        harness.refused(caller);
        harness.none(Action.Refuse.class);
    }

    @Test
    void aWaitThatIsOverAfterItWasServedChangesNothing() {
        Caller caller = harness.joins();
        harness.grants(harness.claim());
        harness.given(caller);
        harness.waitIsOver(caller);
        harness.none(Action.Refuse.class);
    }

    // ---- asking again ----

    @Test
    void aWaiterAsksAgainUnderTheSameIdWithinTheInterval() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim, Duration.ofSeconds(60), 7);
        harness.pass(Duration.ofSeconds(3));
        harness.none(Action.SendClaim.class);
        harness.pass(Duration.ofSeconds(2));
        assertThat(harness.claim()).isEqualTo(claim.at(7));
    }

    @Test
    void theFirstInTheQueueAsksWhenTheHoldersLeaseEnds() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim, Duration.ofSeconds(1), 1);
        harness.pass(Duration.ofMillis(1_100));
        harness.claim();
    }

    @Test
    void othersInTheQueueDoNotAskWhenTheHoldersLeaseEnds() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim, Duration.ofSeconds(1), 2);
        harness.pass(Duration.ofMillis(3_000));
        harness.none(Action.SendClaim.class);
    }

    @Test
    void aClaimIsNotAskedAgainWhileItIsUnderWay() {
        harness.joins();
        harness.claim();
        harness.send(new Event.DoubtSignal());
        harness.pass(Duration.ofSeconds(9));
        harness.none(Action.SendClaim.class);
    }

    // ---- a silent store ----

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
        harness.claimFails(claim, Outcome.NOT_ACQUIRED);
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
    void aThreadThatWaitsWithoutLimitForWhatItHasItselfIsWarned() {
        Thread self = Thread.currentThread();
        Caller first = new Caller(LockOptions.defaults(), false, null);
        first.waiter = new WeakReference<>(self);
        harness.joins(first);
        harness.grants(harness.claim());
        Hold hold = harness.given(first);
        Caller other = new Caller(LockOptions.defaults(), false, null);
        other.waiter = new WeakReference<>(new Thread());
        harness.joins(other);
        harness.none(Action.WaitsForItself.class);
        Caller again = new Caller(LockOptions.defaults(), false, null);
        again.waiter = new WeakReference<>(self);
        harness.joins(again);
        assertThat(harness.one(Action.WaitsForItself.class).hold()).isSameAs(hold);
        Caller limited = new Caller(LockOptions.defaults(), false, null);
        limited.waiter = new WeakReference<>(self);
        limited.waitNanos = 1;
        harness.joins(limited);
        harness.none(Action.WaitsForItself.class);
    }

    @Test
    void aCallerFailsAsNotAcquiredWhereNothingWasCarriedOut() {
        Caller caller = harness.joins();
        harness.claimFails(harness.claim(), Outcome.NOT_ACQUIRED);
        for (int i = 0; i < 100 && harness.queue.nextDue() != LocalQueue.NEVER; i++) {
            harness.pass(Duration.ofMillis(100));
            harness.all(Action.SendClaim.class).forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
        }
        assertThat(harness.failed(caller))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_ACQUIRED));
        harness.forget();
        harness.isIdle();
    }

    @Test
    void aWaiterBehindAHolderWaitsWithoutLimit() {
        harness.joins();
        Claim claim = harness.claim();
        for (int i = 0; i < 100; i++) {
            harness.busy(claim, Duration.ofSeconds(60), 1);
            harness.pass(Duration.ofSeconds(5));
            harness.claim();
        }
        harness.none(Action.Fail.class);
    }

    @Test
    void aStoreThatHasAnsweredOwesNothingUntilItIsAskedAgain() {
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
    void grantsThatAlwaysComeTooLateAreAFailureNotAnEndlessTry() {
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
            harness.look();
            if (i == 999) {
                throw new AssertionError("tried for ever");
            }
        }
        assertThat(caller.outcome).isNotDone();
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
        harness.claimFails(asked, Outcome.NOT_ACQUIRED);
        failClaimsUntilSomebodyFails();
        assertThat(harness.failed(caller)).isInstanceOf(StoreUnavailableException.class);
        assertThat(harness.withdrawal()).isNotNull();
    }

    // ---- many ----

    @Test
    void tenThousandCallersLeaveInLinearTime() {
        harness.held();
        List<Caller> callers =
                IntStream.range(0, 10_000).mapToObj(i -> harness.joins()).toList();
        for (int i = callers.size() - 1; i >= 0; i--) {
            harness.leaves(callers.get(i));
        }
        harness.none(Action.SendClaim.class);
    }

    @Test
    void tenThousandCallersAreRefusedTogetherWhenTheStoreSaysBusy() {
        Set<Caller> callers =
                IntStream.range(0, 10_000).mapToObj(i -> harness.tries()).collect(Collectors.toSet());
        harness.busy(harness.claim());
        assertThat(harness.all(Action.Refuse.class))
                .extracting(Action.Refuse::caller)
                .hasSize(10_000)
                .allMatch(callers::contains);
        harness.isIdle();
    }

    private void failClaimsFor(Duration duration) {
        for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plusMillis(100)) {
            harness.pass(Duration.ofMillis(100));
            harness.all(Action.SendClaim.class).forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
        }
    }

    private void failClaimsUntilSomebodyFails() {
        for (int i = 0; i < 200; i++) {
            List<Action.SendClaim> sent = harness.all(Action.SendClaim.class);
            sent.forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
            if (harness.has(Action.Fail.class)) {
                return;
            }
            harness.pass(Duration.ofMillis(100));
        }
    }
}
