package dev.leasehold.engine.queue;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final long START = Long.MAX_VALUE - 1_000_000_000L;
    private static final LockOptions OPTIONS = LockOptions.defaults();

    private final Hold hold = hold(OPTIONS);

    private static Hold hold(LockOptions options) {
        return new Hold("lock", 7, 1, -1, new Caller(options, false, null), validity(0, 30), START);
    }

    private static ClockReading at(double seconds) {
        return at(seconds, 0);
    }

    /** Returns a reading so many seconds after the start, the wall clock so many seconds ahead. */
    private static ClockReading at(double seconds, double ahead) {
        return new ClockReading(START + (long) (seconds * 1e9), (long) ((seconds + ahead) * 1e6));
    }

    private static Validity validity(double sentAt, double deadline) {
        return new Validity(at(sentAt), at(deadline).nanos());
    }

    @Test
    void isHeldThenAtRiskThenLost() {
        assertThat(hold.state(at(0))).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(at(19.9))).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(at(20))).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.state(at(29.9))).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.state(at(30))).isEqualTo(LeaseState.LOST);
    }

    @Test
    void isNotAtRiskWhereNobodyRenews() {
        assertThat(hold(OPTIONS.withAutoRenew(false)).state(at(29))).isEqualTo(LeaseState.HELD);
    }

    @Test
    void onceSeenAsLostItStaysLost() {
        assertThat(hold.state(at(30))).isEqualTo(LeaseState.LOST);
        assertThat(hold.confirm(validity(29, 60))).isFalse();
        assertThat(hold.state(at(31))).isEqualTo(LeaseState.LOST);
        assertThat(hold.state(at(1)))
                .as("also for one who looks with an older reading")
                .isEqualTo(LeaseState.LOST);
        assertThat(hold.end(at(1))).isFalse();
    }

    @Test
    void onceReleasedItIsNotConfirmed() {
        assertThat(hold.end(at(1))).isTrue();
        assertThat(hold.end(at(1))).isFalse();
        hold.confirm(validity(1, 60));
        assertThat(hold.state(at(40))).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void cannotBeReleasedAfterItsDeadline() {
        assertThat(hold.end(at(30))).isFalse();
        assertThat(hold.state(at(30))).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aReleaseMayTurnOutToHaveComeTooLate() {
        hold.end(at(1));
        hold.lose(new Loss("tested", null));
        assertThat(hold.state(at(1))).isEqualTo(LeaseState.LOST);
    }

    @Test
    void clocksMoreThanATenthApartAreADoubt() {
        assertThat(hold.state(at(1, 3))).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(at(1, 3.1))).isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(hold.remaining(at(1, 3.1))).isZero();
        assertThat(hold(OPTIONS).state(at(1, -3.1))).isEqualTo(LeaseState.UNCONFIRMED);
    }

    @Test
    void aShortSleepCountsAgainstTheValidity() {
        assertThat(hold.state(at(27, 2.9))).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.remaining(at(27, 2.9))).isEqualTo(Duration.ofMillis(100));
        assertThat(hold.state(at(28, 2.9)))
                .as("the store's clock has used the lease up although ours has 2 s left")
                .isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(hold.remaining(at(28, 2.9))).isZero();
    }

    @Test
    @DisplayName("The clocks may be a tenth of the validity apart, and not of the lease asked for")
    void theClocksMayBeATenthOfTheValidityApart() {
        LockOptions tenMinutes = OPTIONS.withLeaseDuration(Duration.ofMinutes(10));
        Hold pushed = new Hold("lock", 7, 1, -1, new Caller(tenMinutes, false, null), validity(0, 5), START);
        assertThat(pushed.state(at(0.1, 0.5))).isEqualTo(LeaseState.HELD);
        assertThat(pushed.state(at(0.1, 0.6))).isEqualTo(LeaseState.UNCONFIRMED);
    }

    @Test
    void aDoubtStaysUntilALaterRequestIsAnswered() {
        assertThat(hold.state(at(5, 60))).isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(hold.state(at(6))).as("the clocks have come together").isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(hold.confirm(validity(4, 34))).isFalse();
        assertThat(hold.state(at(6))).isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(hold.confirm(validity(5, 35))).isTrue();
        assertThat(hold.state(at(6))).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aDoubtEndsWithTheDeadline() {
        hold.state(at(5, 60));
        assertThat(hold.state(at(30))).isEqualTo(LeaseState.LOST);
    }

    @Test
    void knowsThatItWasEndedInDoubt() {
        hold.end(at(1, 60));
        assertThat(hold.endedInDoubt()).isTrue();
        Hold sure = hold(OPTIONS);
        sure.end(at(1));
        assertThat(sure.endedInDoubt()).isFalse();
    }

    @Test
    void remainingCountsToTheDeadline() {
        assertThat(hold.remaining(at(10))).isEqualTo(Duration.ofSeconds(20));
        assertThat(hold.remaining(at(31))).isZero();
    }

    @Test
    void minHoldCountsFromTheStartOfTheHold() {
        Hold kept = hold(OPTIONS.withMinHold(Duration.ofSeconds(10)));
        assertThat(kept.keepNanos(at(4).nanos())).isEqualTo(6_000_000_000L);
        assertThat(kept.keepNanos(at(11).nanos())).isZero();
    }

    @Test
    void aGrantThatItsCallerNeverHadIsNotKept() {
        Hold kept = hold(OPTIONS.withMinHold(Duration.ofSeconds(10)));
        kept.notDelivered();
        assertThat(kept.keepNanos(at(4).nanos())).isZero();
    }

    @Test
    void maxHoldCountsFromTheStartOfTheHold() {
        Hold capped = hold(OPTIONS.withMaxHold(Duration.ofSeconds(10)));
        assertThat(capped.holdNanosLeft(at(4).nanos())).isEqualTo(6_000_000_000L);
        assertThat(capped.holdNanosLeft(at(11).nanos())).isNegative();
        Hold unlimited = hold(OPTIONS.withMaxHold(LockOptions.FOREVER));
        assertThat(unlimited.holdNanosLeft(at(1e9).nanos())).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void eachStateIsNewsOnce() {
        assertThat(hold.announce(LeaseState.HELD)).isFalse();
        assertThat(hold.announce(LeaseState.AT_RISK)).isTrue();
        assertThat(hold.announce(LeaseState.AT_RISK)).isFalse();
        assertThat(hold.announce(LeaseState.HELD)).isTrue();
    }

    /**
     * One thread looks at the very deadline, another brings a confirmation: a thread that has seen "lost" sees it for
     * ever.
     */
    @Test
    void noConfirmationRevivesAHoldThatSomebodySawLost() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int i = 0; i < 20_000; i++) {
                Hold raced = hold(OPTIONS);
                CyclicBarrier start = i % 50 == 0 ? new CyclicBarrier(2) : null;
                Future<LeaseState> seen = threads.submit(() -> {
                    await(start);
                    return raced.state(at(30));
                });
                Future<Boolean> confirmed = threads.submit(() -> {
                    await(start);
                    return raced.confirm(validity(29, 60));
                });
                boolean lost = seen.get(A_MINUTE, TimeUnit.SECONDS) == LeaseState.LOST;
                assertThat(confirmed.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(!lost);
                assertThat(raced.state(at(31)) == LeaseState.LOST).isEqualTo(lost);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CyclicBarrier barrier) throws Exception {
        if (barrier != null) {
            barrier.await(A_MINUTE, TimeUnit.SECONDS);
        }
    }
}
