package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.PATIENCE;
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
import org.junit.jupiter.api.Test;

/** How long callers wait: for a holder, for their limit, for a store that is silent. Busy and failed are never confused. */
class LocalQueueWaitingTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    // ---- busy ----

    @Test
    void aTryIsRefusedWhileTheProcessItselfHolds() {
        bench.held();
        bench.refused(bench.tries());
        bench.none(Action.SendClaim.class);
    }

    @Test
    void aTryIsServedIfTheHoldHasRunOutUnseen() {
        bench.held(UNRENEWED);
        bench.stopFor(Duration.ofSeconds(31));
        Caller caller = bench.tries();
        bench.none(Action.Refuse.class);
        bench.grants(bench.claim());
        bench.given(caller);
    }

    @Test
    void aTryIsRefusedWhenTheStoreSaysBusy() {
        Caller caller = bench.tries();
        bench.busy(bench.claim());
        bench.refused(caller);
    }

    @Test
    void aTryBehindAWaiterToWhomTheStoreHasSaidBusyIsRefusedAtOnce() {
        bench.joins();
        bench.busy(bench.claim());
        bench.refused(bench.tries());
    }

    @Test
    void aTryBehindAWaiterIsNotBusyBeforeTheStoreHasSaidAWord() {
        Caller waiter = bench.joins();
        Claim claim = bench.claim();
        Caller trying = bench.tries();
        bench.none(Action.Refuse.class);
        bench.claimFails(claim, Outcome.NOT_ACQUIRED);
        failClaimsFor(PATIENCE);
        assertThat(bench.all(Action.Fail.class)).extracting(Action.Fail::caller).containsExactly(waiter, trying);
    }

    @Test
    void aTryBehindAWaiterIsNotBusyOnceTheStoreHasFallenSilent() {
        bench.joins();
        bench.busy(bench.claim());
        bench.pass(Duration.ofSeconds(5));
        bench.claimFails(bench.claim(), Outcome.NOT_ACQUIRED);
        bench.tries();
        bench.none(Action.Refuse.class);
    }

    @Test
    void aTryBehindAWaiterIsRefusedWhenTheWaiterIsServed() {
        Caller waiter = bench.joins();
        Claim claim = bench.claim();
        Caller trying = bench.tries();
        bench.grants(claim);
        bench.given(waiter);
        bench.refused(trying);
    }

    @Test
    void aWaitThatIsOverIsBusyIfTheStoreHasSaidSo() {
        Caller caller = bench.joins();
        bench.busy(bench.claim());
        bench.waitIsOver(caller);
        bench.refused(caller);
        bench.withdrawal();
    }

    @Test
    void aWaitThatIsOverIsBusyBehindAHolderOfThisProcess() {
        bench.held();
        Caller caller = bench.joins();
        bench.waitIsOver(caller);
        bench.refused(caller);
    }

    @Test
    void aWaitThatIsOverBeforeTheStoreHasSaidAWordWaitsForTheFirst() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.waitIsOver(caller);
        bench.none(Action.Refuse.class);
        bench.busy(claim);
        bench.refused(caller);
    }

    @Test
    void thatOthersHaveComeLaterIsNoReasonToBeBusy() {
        Caller first = bench.joins();
        Claim claim = bench.claim();
        bench.joins();
        bench.waitIsOver(first);
        bench.none(Action.Refuse.class);
        bench.grants(claim);
        bench.given(first);
    }

    @Test
    void aWaitThatIsOverTwiceIsAnsweredOnce() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.waitIsOver(caller);
        bench.waitIsOver(caller);
        bench.busy(claim);
        bench.waitIsOver(caller);
        bench.refused(caller);
        bench.none(Action.Refuse.class);
    }

    @Test
    void aWaitThatIsOverAfterItWasServedChangesNothing() {
        Caller caller = bench.joins();
        bench.grants(bench.claim());
        bench.given(caller);
        bench.waitIsOver(caller);
        bench.none(Action.Refuse.class);
    }

    // ---- asking again ----

    @Test
    void aWaiterAsksAgainUnderTheSameIdWithinTheInterval() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim, Duration.ofSeconds(60), 7);
        bench.pass(Duration.ofSeconds(3));
        bench.none(Action.SendClaim.class);
        bench.pass(Duration.ofSeconds(2));
        assertThat(bench.claim()).isEqualTo(claim.at(7));
    }

    @Test
    void theFirstInTheQueueAsksWhenTheHoldersLeaseEnds() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim, Duration.ofSeconds(1), 1);
        bench.pass(Duration.ofMillis(1_100));
        bench.claim();
    }

    @Test
    void othersInTheQueueDoNotAskWhenTheHoldersLeaseEnds() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim, Duration.ofSeconds(1), 2);
        bench.pass(Duration.ofMillis(3_000));
        bench.none(Action.SendClaim.class);
    }

    @Test
    void aClaimIsNotAskedAgainWhileItIsUnderWay() {
        bench.joins();
        bench.claim();
        bench.send(new Event.DoubtSignal());
        bench.pass(Duration.ofSeconds(9));
        bench.none(Action.SendClaim.class);
    }

    // ---- a silent store ----

    @Test
    void aCallerFailsWhenTheStoreHasBeenSilentForTooLong() {
        Caller caller = bench.joins();
        bench.claim();
        bench.pass(PATIENCE.minusMillis(1));
        bench.none(Action.Fail.class);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.failed(caller)).isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
            assertThat(e.outcome()).as("the claim is under way").isEqualTo(Outcome.UNKNOWN);
            assertThat(e).hasMessageContaining("test:store").hasMessageContaining("lock");
        });
    }

    @Test
    void aStoreThatIsDownIsNotWaitedForByWhoeverTriesOnceAndByTheOthersForTheStoreTimeout() {
        Caller patient = bench.joins();
        Caller trying = new Caller(LockOptions.defaults(), true, null);
        bench.joins(trying);
        Claim claim = bench.claim();
        bench.pass(Duration.ofMillis(50));
        bench.claimFails(claim, Outcome.NOT_ACQUIRED);
        bench.none(Action.Fail.class);
        bench.passToNextDue();
        bench.claimIsInVain(bench.claim());
        assertThat(bench.failed(trying)).hasMessage("all down");
        bench.pass(PATIENCE.minusMillis(200));
        bench.none(Action.Fail.class);
        bench.pass(Duration.ofMillis(200));
        bench.failed(patient);
    }

    @Test
    void aStoreThatSaysWhenItWillServeIsWaitedForByWhoeverWouldWaitForSoLongAnyway() {
        Caller endless = bench.joins();
        Caller patient = new Caller(LockOptions.defaults(), false, null);
        patient.waitNanos = Duration.ofMinutes(2).toNanos();
        bench.joins(patient);
        Caller hasty = new Caller(LockOptions.defaults(), false, null);
        hasty.waitNanos = Duration.ofSeconds(40).toNanos();
        bench.joins(hasty);
        bench.claimFails(bench.claim(), Duration.ofMinutes(1));
        bench.passToNextDue();
        bench.claimFails(bench.claim(), Duration.ofSeconds(59));
        bench.pass(PATIENCE);
        assertThat(bench.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactlyInAnyOrder(endless, hasty);
        bench.pass(Duration.ofSeconds(30));
        bench.all(Action.SendClaim.class);
        bench.pass(Duration.ofSeconds(20));
        bench.none(Action.Fail.class);
        bench.grants(bench.claim());
        bench.given(patient);
    }

    @Test
    void aThreadThatWaitsWithoutLimitForWhatItHasItselfIsWarned() {
        Thread self = Thread.currentThread();
        Caller first = new Caller(LockOptions.defaults(), false, null);
        first.waiter = new WeakReference<>(self);
        bench.joins(first);
        bench.grants(bench.claim());
        Hold hold = bench.given(first);
        Caller other = new Caller(LockOptions.defaults(), false, null);
        other.waiter = new WeakReference<>(new Thread());
        bench.joins(other);
        bench.none(Action.WaitsForItself.class);
        Caller again = new Caller(LockOptions.defaults(), false, null);
        again.waiter = new WeakReference<>(self);
        bench.joins(again);
        assertThat(bench.one(Action.WaitsForItself.class).hold()).isSameAs(hold);
        Caller limited = new Caller(LockOptions.defaults(), false, null);
        limited.waiter = new WeakReference<>(self);
        limited.waitNanos = 1;
        bench.joins(limited);
        bench.none(Action.WaitsForItself.class);
    }

    @Test
    void aCallerFailsAsNotAcquiredWhereNothingWasCarriedOut() {
        Caller caller = bench.joins();
        bench.claimFails(bench.claim(), Outcome.NOT_ACQUIRED);
        for (int i = 0; i < 100 && bench.queue.nextDue() != LocalQueue.NEVER; i++) {
            bench.pass(Duration.ofMillis(100));
            bench.all(Action.SendClaim.class).forEach(send -> bench.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
        }
        assertThat(bench.failed(caller))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_ACQUIRED));
        bench.forget();
        bench.isIdle();
    }

    @Test
    void aWaiterBehindAHolderWaitsWithoutLimit() {
        bench.joins();
        Claim claim = bench.claim();
        for (int i = 0; i < 100; i++) {
            bench.busy(claim, Duration.ofSeconds(60), 1);
            bench.pass(Duration.ofSeconds(5));
            bench.claim();
        }
        bench.none(Action.Fail.class);
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
    void aLateComerHasItsOwnPatience() {
        Caller early = bench.joins();
        bench.claim();
        bench.pass(Duration.ofSeconds(6));
        Caller late = bench.joins();
        bench.pass(Duration.ofSeconds(4));
        bench.failed(early);
        bench.pass(Duration.ofSeconds(6));
        bench.failed(late);
    }

    @Test
    void aCallerFailsWhenTheReleaseBeforeItIsNotAnswered() {
        Hold hold = bench.held();
        Caller caller = bench.joins();
        bench.ends(hold);
        bench.pass(PATIENCE);
        bench.failed(caller);
    }

    @Test
    void aCallerFailsWhenTheRenewalForItIsNotAnswered() {
        Hold opener = bench.held();
        bench.joins();
        Caller unrenewed = bench.joins(UNRENEWED);
        bench.ends(opener);
        bench.released(bench.release());
        bench.grants(bench.claim());
        Hold hold = bench.one(Action.Give.class).hold();
        bench.ends(hold);
        bench.pass(PATIENCE);
        bench.failed(unrenewed);
        bench.release();
    }

    @Test
    void grantsThatAlwaysComeTooLateAreAFailureNotAnEndlessTry() {
        Caller caller = bench.tries();
        for (int i = 0; i < 1_000 && bench.all(Action.Fail.class).isEmpty(); i++) {
            for (Action.SendClaim send : bench.all(Action.SendClaim.class)) {
                ClockReading sentAt = bench.now();
                bench.stopFor(Duration.ofSeconds(4));
                bench.grants(send.claim(), Duration.ofSeconds(3), sentAt);
            }
            for (Action.SendRelease release : bench.all(Action.SendRelease.class)) {
                bench.released(release.lease());
            }
            bench.look();
            if (i == 999) {
                throw new AssertionError("tried for ever");
            }
        }
        assertThat(caller.outcome).isNotDone();
    }

    @Test
    void anOldReleaseThatFailsIsNoSilenceOfTheWholeTime() {
        Hold hold = bench.held();
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.releaseFails(lease);
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim, Duration.ofSeconds(60), 1);
        for (int i = 0; i < 15; i++) {
            bench.pass(Duration.ofSeconds(1));
            bench.all(Action.SendClaim.class).forEach(send -> bench.busy(send.claim(), Duration.ofSeconds(60), 1));
            bench.all(Action.SendRelease.class).forEach(send -> bench.releaseFails(send.lease()));
        }
        bench.none(Action.Fail.class);
        assertThat(caller.outcome).isNotDone();
    }

    @Test
    void oncePatienceIsOverTheClaimIsWithdrawnAtOnce() {
        Caller caller = bench.joins();
        bench.busy(bench.claim());
        bench.pass(Duration.ofSeconds(5));
        Claim asked = bench.claim();
        bench.claimFails(asked, Outcome.NOT_ACQUIRED);
        failClaimsUntilSomebodyFails();
        assertThat(bench.failed(caller)).isInstanceOf(StoreUnavailableException.class);
        assertThat(bench.withdrawal()).isNotNull();
    }

    // ---- many ----

    @Test
    void tenThousandCallersLeaveInLinearTime() {
        bench.held();
        List<Caller> callers =
                IntStream.range(0, 10_000).mapToObj(i -> bench.joins()).toList();
        for (int i = callers.size() - 1; i >= 0; i--) {
            bench.leaves(callers.get(i));
        }
        bench.none(Action.SendClaim.class);
    }

    @Test
    void tenThousandCallersAreRefusedTogetherWhenTheStoreSaysBusy() {
        Set<Caller> callers =
                IntStream.range(0, 10_000).mapToObj(i -> bench.tries()).collect(Collectors.toSet());
        bench.busy(bench.claim());
        assertThat(bench.all(Action.Refuse.class))
                .extracting(Action.Refuse::caller)
                .hasSize(10_000)
                .allMatch(callers::contains);
        bench.isIdle();
    }

    private void failClaimsFor(Duration duration) {
        for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plusMillis(100)) {
            bench.pass(Duration.ofMillis(100));
            bench.all(Action.SendClaim.class).forEach(send -> bench.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
        }
    }

    private void failClaimsUntilSomebodyFails() {
        for (int i = 0; i < 200; i++) {
            List<Action.SendClaim> sent = bench.all(Action.SendClaim.class);
            sent.forEach(send -> bench.claimFails(send.claim(), Outcome.NOT_ACQUIRED));
            if (bench.has(Action.Fail.class)) {
                return;
            }
            bench.pass(Duration.ofMillis(100));
        }
    }
}
