package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.STORE_TIMEOUT;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests show how long callers wait: for a holder, for their limit, for a store that is silent. Busy and failed are
 * never confused.
 */
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
    @DisplayName("A try behind a waiter to whom the store has said busy is refused at once")
    void aTryBehindABusyWaiterIsRefusedAtOnce() {
        harness.joins();
        harness.busy(harness.claim());
        harness.refused(harness.tries());
    }

    @Test
    @DisplayName("A try behind a waiter is not busy before the store has said a word")
    void aTryBehindAWaiterIsNotBusyBeforeAnAnswer() {
        Caller waiter = harness.joins();
        Claim claim = harness.claim();
        Caller trying = harness.tries();
        harness.none(Action.Refuse.class);
        harness.claimFails(claim, Outcome.NOT_CARRIED_OUT);
        failClaimsFor(STORE_TIMEOUT);
        assertThat(harness.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactly(waiter, trying);
    }

    @Test
    @DisplayName("A try behind a waiter is not busy once the store has fallen silent")
    void aTryBehindAWaiterIsNotBusyInASilence() {
        harness.joins();
        harness.busy(harness.claim());
        harness.pass(Duration.ofSeconds(5));
        harness.claimFails(harness.claim(), Outcome.NOT_CARRIED_OUT);
        harness.tries();
        harness.none(Action.Refuse.class);
    }

    /** The lock may have been released in between: the later one may have waited for just that. */
    @Test
    void anAnswerRefusesNobodyWhoJoinedAfterItsQuestion() {
        Caller first = harness.tries();
        Claim claim = harness.claim();
        Caller later = harness.tries();
        harness.busy(claim);
        harness.refused(first);
        harness.grants(harness.claim());
        harness.given(later);
    }

    @Test
    void norIsAWaiterBusyThatJoinedAfterTheQuestion() {
        Caller first = harness.tries();
        Claim claim = harness.claim();
        Caller later = harness.joins();
        harness.busy(claim);
        harness.refused(first);
        harness.waitIsOver(later);
        harness.none(Action.Refuse.class);
        harness.grants(harness.claim());
        harness.given(later);
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
    @DisplayName("A wait that is over before the store has said a word waits for the first")
    void aShortWaitWaitsForTheFirstAnswer() {
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
    void waitersKeepNoBeat() {
        harness.joins();
        Claim claim = harness.claim();
        Set<Long> pauses = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            harness.busy(claim, Duration.ofSeconds(60), 7);
            long before = harness.now().nanos();
            harness.passToNextDue();
            harness.claim();
            pauses.add(harness.now().nanos() - before);
        }
        assertThat(pauses)
                .as("or all that wait would ask together after an outage, again and again")
                .hasSize(4)
                .allSatisfy(pause -> assertThat(Duration.ofNanos(pause))
                        .isBetween(Duration.ofMillis(3_750), Duration.ofMillis(4_750)));
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
        harness.send(new Event.DoubtSignal(false));
        harness.pass(Duration.ofSeconds(9));
        harness.none(Action.SendClaim.class);
    }

    @Test
    void aThreadThatWaitsForItselfIsWarned() {
        Thread self = Thread.currentThread();
        Caller first = waitsOn(self);
        harness.grants(harness.claim());
        Hold hold = harness.given(first);
        Caller other = waitsOn(new Thread());
        Caller again = waitsOn(self);
        Caller limited = new Caller(LockOptions.defaults(), false, null);
        limited.waiter = new WeakReference<>(self);
        limited.waitNanos = 1;
        harness.joins(limited);
        for (Caller caller : List.of(other, limited)) {
            harness.send(new Event.Asked(caller));
        }
        harness.none(Action.WaitsForItself.class);
        harness.send(new Event.Asked(again));
        assertThat(harness.one(Action.WaitsForItself.class).hold()).isSameAs(hold);
    }

    @Test
    void eachLongWaiterIsAskedAboutOnceAfterTenSeconds() {
        harness.held();
        Caller first = waitsOn(new Thread());
        harness.joins();
        harness.pass(Duration.ofMillis(500));
        Caller second = waitsOn(new Thread());
        harness.pass(Duration.ofMillis(9_400));
        harness.none(Action.AskQueues.class);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.one(Action.AskQueues.class).caller()).isSameAs(first);
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.one(Action.AskQueues.class).caller()).isSameAs(second);
        harness.pass(Duration.ofSeconds(15));
        harness.none(Action.AskQueues.class);
    }

    private Caller waitsOn(Thread thread) {
        Caller caller = new Caller(LockOptions.defaults(), false, null);
        caller.waiter = new WeakReference<>(thread);
        return harness.joins(caller);
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
    @DisplayName("Ten thousand callers are refused together when the store says busy")
    void tenThousandCallersAreRefusedTogether() {
        Set<Caller> callers =
                IntStream.range(0, 10_000).mapToObj(i -> harness.tries()).collect(Collectors.toSet());
        harness.busy(harness.claim());
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
            harness.all(Action.SendClaim.class)
                    .forEach(send -> harness.claimFails(send.claim(), Outcome.NOT_CARRIED_OUT));
        }
    }

    @Test
    void eachLongWaitIsLoggedAfterTenSeconds() {
        harness.held();
        for (int i = 1; i <= 2; i++) {
            Caller caller = harness.joins();
            harness.pass(Duration.ofMillis(9_900));
            harness.none(Action.WaitsLong.class);
            harness.pass(Duration.ofMillis(200));
            assertThat(harness.one(Action.WaitsLong.class).callers()).isOne();
            harness.leaves(caller);
        }
    }
}
