package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.LockSet;
import dev.leasehold.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several names at once, while time passes: what counts from when, and what a set that waits has. */
class LockSetTimeTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(9));

    private final TestLeasehold locks = TestLeasehold.create(OPTIONS);
    private final Leasehold other = locks.anotherClient();

    @AfterEach
    void close() {
        locks.close();
    }

    private LockSet set(LockOptions options) {
        return locks.leasehold().lockAll("a", "b", "c").withOptions(options);
    }

    private long token(String name) throws InterruptedException {
        return locks.leasehold().info(name).orElseThrow().holder().token();
    }

    private boolean isFree(String name) throws InterruptedException {
        return other.info(name).isEmpty();
    }

    private LeaseSet complete(CompletableFuture<LeaseSet> set) {
        locks.advance(Duration.ZERO);
        assertThat(set).isCompleted();
        return set.join();
    }

    /** The bytes of a name do not sort as its characters do. */
    @Test
    void namesAreInTheOrderOfTheirBytes() {
        assertThat(locks.leasehold().lockAll("\ud83d\ude00", "\uff5e", "é", "z").names())
                .containsExactly("z", "é", "\uff5e", "\ud83d\ude00");
    }

    @Test
    void maxHoldCountsFromTheCompletion() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting =
                set(OPTIONS.withMaxHold(Duration.ofSeconds(20))).acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        long first = token("a");
        locks.advance(Duration.ofSeconds(60));
        assertThat(token("a")).isEqualTo(first);
        b.release();
        LeaseSet set = complete(waiting);
        assertThat(set.token("a")).isEqualTo(first);
        locks.advance(Duration.ofSeconds(15));
        assertThat(set.isValid()).isTrue();
        locks.advance(Duration.ofSeconds(10));
        assertThat(set.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aSetThatIsNotRenewedIsRenewedUntilItsCompletion() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting = set(OPTIONS.withAutoRenew(false)).acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        long first = token("a");
        locks.advance(Duration.ofSeconds(60));
        assertThat(token("a")).isEqualTo(first);
        b.release();
        LeaseSet set = complete(waiting);
        assertThat(set.remaining()).isGreaterThan(Duration.ofSeconds(8));
        locks.advance(Duration.ofSeconds(8));
        assertThat(set.isValid()).isTrue();
        locks.advance(Duration.ofSeconds(2));
        assertThat(set.state()).isEqualTo(LeaseState.LOST);
    }

    /** A lease that is longer than the hold may be would block others for nothing if this process died. */
    @Test
    void noLeaseIsLongerThanTheHold() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting =
                set(OPTIONS.withMaxHold(Duration.ofSeconds(4))).acquireAsync();
        locks.advance(Duration.ZERO);
        // Bound: the time is virtual.
        assertThat(other.info("a").orElseThrow().holder().timeLeft()).isLessThanOrEqualTo(Duration.ofSeconds(4));
        b.release();
        complete(waiting).close();
    }

    @Test
    void nothingIsKeptOfASetThatWasNotComplete() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        LockSet set = set(OPTIONS.withMinHold(Duration.ofSeconds(5)));
        assertThat(set.tryAcquire()).isEmpty();
        assertThat(isFree("a")).isTrue();
        assertThat(isFree("c")).isTrue();
        CompletableFuture<LeaseSet> waiting = set.acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        assertThat(isFree("a")).isFalse();
        assertThat(isFree("c")).isTrue();
        waiting.cancel(false);
        locks.advance(Duration.ZERO);
        assertThat(isFree("a")).isTrue();
        b.release();
    }

    @Test
    void minHoldCountsFromTheCompletion() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting =
                set(OPTIONS.withMinHold(Duration.ofSeconds(5))).acquireAsync();
        locks.advance(Duration.ofSeconds(60));
        b.release();
        complete(waiting).release();
        locks.advance(Duration.ofMillis(4_800));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        assertThat(other.lock("c").tryAcquire()).isEmpty();
        locks.advance(Duration.ofMillis(400));
        assertThat(isFree("a")).isTrue();
        assertThat(isFree("c")).isTrue();
    }

    @Test
    void thereIsOneLimitForTheWhole() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        HeldElsewhere c = locks.holdElsewhere("c");
        CompletableFuture<Optional<LeaseSet>> waiting = set(OPTIONS).tryAcquireAsync(Duration.ofSeconds(10));
        locks.advance(Duration.ofSeconds(8));
        b.release();
        locks.advance(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();
        locks.advance(Duration.ofMillis(1_100));
        assertThat(waiting).isCompletedWithValue(Optional.empty());
        assertThat(isFree("a")).isTrue();
        assertThat(isFree("b")).isTrue();
        c.release();
        locks.advance(Duration.ZERO);
        assertThat(isFree("c")).isTrue();
    }

    @Test
    void aSetLastsAsLongAsTheFirstOfItsLeasesToEnd() throws Exception {
        HeldElsewhere c = locks.holdElsewhere("c");
        CompletableFuture<LeaseSet> waiting = set(OPTIONS).acquireAsync();
        locks.advance(Duration.ofSeconds(2));
        c.release();
        // The others have seven seconds; the last was handed over, and has half a lease to be confirmed.
        LeaseSet set = complete(waiting);
        assertThat(set.remaining()).isBetween(Duration.ofSeconds(4), Duration.ofMillis(4_500));
        set.close();
    }

    @Test
    void aSetThatWaitedIsNotCompleteWithALeaseThatRanOut() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting = set(OPTIONS).acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        long first = token("a");
        locks.pause(Duration.ofSeconds(12), b::release);
        LeaseSet set = complete(waiting);
        assertThat(set.isValid()).isTrue();
        assertThat(set.token("a")).isGreaterThan(first);
        set.close();
    }

    @Test
    void aLossEndsTheWaitingForALaterName() throws Exception {
        HeldElsewhere c = locks.holdElsewhere("c");
        CompletableFuture<LeaseSet> waiting = set(OPTIONS).acquireAsync();
        CompletableFuture<Lease> next = other.lock("a").acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        assertThat(locks.waiters("c")).isEqualTo(1);
        locks.lose("a");
        assertThat(next).isCompleted();
        assertThat(locks.waiters("a")).isEqualTo(1);
        assertThat(locks.waiters("c")).isZero();
        assertThat(isFree("b")).isTrue();
        c.release();
        next.join().release();
        complete(waiting).close();
    }

    /** One that tries is not told that a name is busy. */
    @Test
    void aStoreThatIsAwayIsNotBusy() {
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> set(OPTIONS).tryAcquire()))
                .isInstanceOf(StoreUnavailableException.class);
        locks.storeUp();
    }

    @Test
    void aSetThatWaitsWaitsForTheStoreToo() {
        locks.storeDown();
        CompletableFuture<LeaseSet> waiting = set(OPTIONS).acquireAsync();
        locks.advance(Duration.ofSeconds(4));
        assertThat(waiting).isNotDone();
        locks.storeUp();
        locks.advance(Duration.ofSeconds(2));
        complete(waiting).close();
    }

    @Test
    void aStoreThatIsAwayFailsASetAndNothingIsHeld() throws Exception {
        HeldElsewhere b = locks.holdElsewhere("b");
        CompletableFuture<LeaseSet> waiting = set(OPTIONS).acquireAsync();
        locks.advance(Duration.ofSeconds(1));
        locks.storeDown();
        locks.advance(Duration.ofSeconds(25));
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreUnavailableException.class);
        locks.storeUp();
        locks.advance(Duration.ofSeconds(1));
        assertThat(isFree("a")).isTrue();
        b.release();
        locks.advance(Duration.ofSeconds(1));
        assertThat(isFree("b")).isTrue();
    }
}
