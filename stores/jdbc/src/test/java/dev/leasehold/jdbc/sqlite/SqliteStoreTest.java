package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimAnswer.Busy;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.WaitingRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the protocol, on a real file and a clock that stands still. */
class SqliteStoreTest {

    private static final Duration LEASE = TestClient.LEASE;
    private static final Duration MS = Duration.ofMillis(1);

    @TempDir
    Path directory;

    private final SettableClock clock = new SettableClock();
    private TestClient ann;
    private TestClient bob;
    private TestClient cem;

    @BeforeEach
    void open() {
        Path file = directory.resolve("locks.db");
        ann = new TestClient(file, clock);
        bob = new TestClient(file, clock);
        cem = new TestClient(file, clock);
    }

    @AfterEach
    void close() {
        ann.close();
        bob.close();
        cem.close();
    }

    @Test
    void aFreeLockIsGrantedAndThenBusy() {
        Granted granted = ann.granted(new Claim(ann.newId(), "a", LEASE, 7, true));
        Busy busy = bob.busy(bob.newClaim("a"));

        assertThat(granted.spare()).isEqualTo(7);
        assertThat(granted.lease().token()).isEqualTo(clock.wallMicros());
        assertThat(granted.validity().deadline() - granted.validity().sentAt().nanos())
                .isEqualTo(LEASE.toNanos() / 100 * 99 - 2_000_000);
        assertThat(busy.place()).isEqualTo(1);
        assertThat(busy.timeLeft()).isEqualTo(LEASE);
        assertThat(busy.holder()).isNotNull();
        assertThat(busy.holder().token()).isEqualTo(granted.lease().token());
        assertThat(busy.holder().owner()).isEqualTo("owner " + ann.id);
    }

    @Test
    void aClaimThatDoesNotQueueLeavesNothingBehind() {
        LeaseId held = ann.acquire("a");
        Busy busy = bob.busy(new Claim(bob.newId(), "a", LEASE, 0, false));
        assertThat(busy.place()).isZero();
        assertThat(ann.inspect("*").get(0).waiters()).isEmpty();
        assertThat(ann.release(held)).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(ann.inspect("*")).isEmpty();
    }

    @Test
    void aRepeatedClaimFindsItsGrantAndNeverShortensIt() {
        Claim claim = ann.newClaim("a");
        Granted first = ann.granted(claim);
        clock.advance(Duration.ofSeconds(10));
        Claim shorter = new Claim(claim.id(), "a", Duration.ofSeconds(1), 0, true);
        Granted second = ann.granted(shorter);
        assertThat(second.lease()).isEqualTo(first.lease());
        assertThat(bob.busy(bob.newClaim("a")).timeLeft()).isEqualTo(Duration.ofSeconds(20));
        ann.granted(claim);
        assertThat(bob.busy(new Claim(bob.newId(), "a", LEASE, 0, false)).timeLeft())
                .isEqualTo(LEASE);
    }

    @Test
    void renewalExtendsAndNeverShortens() {
        LeaseId lease = ann.acquire("a");
        clock.advance(Duration.ofSeconds(10));
        assertThat(ann.renew(lease, Duration.ofNanos(1))).isInstanceOf(RenewAnswer.Renewed.class);
        assertThat(bob.busy(bob.newClaim("a")).timeLeft()).isEqualTo(Duration.ofSeconds(20));
        ann.renew(lease, LEASE);
        assertThat(bob.busy(new Claim(bob.newId(), "a", LEASE, 0, false)).timeLeft())
                .isEqualTo(LEASE);
    }

    @Test
    void renewalNeverBringsAnEndedLeaseBack() {
        LeaseId lease = ann.acquire("a");
        clock.advance(LEASE);
        assertThat(ann.renew(lease, LEASE)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(bob.ask(bob.newClaim("a"))).isInstanceOf(Granted.class);
    }

    @Test
    void aLeaseIsHeldToItsLastMicrosecond() {
        ann.acquire("a");
        clock.advance(LEASE.minusNanos(1000));
        assertThat(bob.ask(new Claim(bob.newId(), "a", LEASE, 0, false))).isInstanceOf(Busy.class);
        clock.advance(Duration.ofNanos(1000));
        assertThat(bob.ask(new Claim(bob.newId(), "a", LEASE, 0, false))).isInstanceOf(Granted.class);
    }

    @Test
    void operationsCompareClaimAndToken() {
        Claim claim = ann.newClaim("a");
        LeaseId lease = ann.granted(claim).lease();
        LeaseId otherToken = new LeaseId("a", lease.claim(), lease.token() + 1);
        LeaseId otherClaim = new LeaseId("a", ann.newId(), lease.token());
        for (LeaseId wrong : List.of(otherToken, otherClaim)) {
            assertThat(ann.renew(wrong, LEASE)).isInstanceOf(RenewAnswer.Lost.class);
            assertThat(ann.release(wrong)).isEqualTo(ReleaseAnswer.NOT_HELD);
        }
        assertThat(ann.renew(lease, LEASE)).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    void aRepeatedReleaseDoesNotTouchTheSuccessor() {
        LeaseId lease = ann.acquire("a");
        assertThat(ann.release(lease)).isEqualTo(ReleaseAnswer.RELEASED);
        LeaseId next = bob.acquire("a");
        assertThat(ann.release(lease)).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(bob.renew(next, LEASE)).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    void tokensFollowTheWholeRun() {
        Granted first = ann.granted(new Claim(ann.newId(), "a", LEASE, 64, true));
        ann.release(first.lease());
        assertThat(bob.acquire("a").token()).isEqualTo(first.lease().token() + 65);
    }

    @Test
    void tokensIncreaseWhenTheWallClockGoesBack() {
        LeaseId first = ann.acquire("a");
        ann.release(first);
        clock.moveWall(Duration.ofDays(-3));
        LeaseId second = ann.acquire("a");
        assertThat(second.token()).isEqualTo(first.token() + 1);
        assertThat(bob.busy(bob.newClaim("a")).timeLeft()).isEqualTo(LEASE);
    }

    @Test
    void aWallClockThatIsSetChangesNoLeaseAndNoQueue() {
        LeaseId held = ann.acquire("a");
        Claim waiting = bob.newClaim("a");
        assertThat(bob.busy(waiting).place()).isEqualTo(1);
        for (Duration jump : List.of(Duration.ofHours(1), Duration.ofHours(-2))) {
            clock.moveWall(jump);
            ClaimAnswer.Busy busy = bob.busy(waiting);
            assertThat(busy.timeLeft()).as("after a jump of %s", jump).isEqualTo(LEASE);
            assertThat(busy.place()).isEqualTo(1);
        }
        ann.release(held);
        assertThat(bob.inspect("*")).hasSize(1);
    }

    @Test
    void theQueueIsServedInOrder() throws InterruptedException {
        LeaseId held = ann.acquire("a");
        List<TestClient> waiting = List.of(bob, cem);
        List<Claim> claims = new ArrayList<>();
        for (TestClient client : waiting) {
            claims.add(client.newClaim("a"));
            assertThat(client.busy(claims.get(claims.size() - 1)).place()).isEqualTo(claims.size());
        }
        ann.release(held);
        for (int i = 0; i < 2; i++) {
            TestClient.Grant grant = waiting.get(i).nextGrant();
            assertThat(grant.lease().claim()).isEqualTo(claims.get(i).id());
            assertThat(grant.lease().token()).isGreaterThan(held.token());
            held = grant.lease();
            waiting.get(i).release(held);
        }
        assertThat(ann.inspect("*")).isEmpty();
    }

    @Test
    void nobodyOvertakesTheQueueWhenALeaseRunsOut() throws InterruptedException {
        ann.acquire("a");
        Claim waiting = bob.newClaim("a");
        clock.advance(LEASE.minus(Duration.ofSeconds(1)));
        bob.busy(waiting);
        clock.advance(Duration.ofSeconds(1));
        Busy busy = cem.busy(cem.newClaim("a"));
        assertThat(busy.holder().owner()).isEqualTo("owner " + bob.id);
        assertThat(busy.timeLeft()).isEqualTo(WaitingRules.claimPeriod(LEASE));
        assertThat(busy.place()).isEqualTo(1);
        assertThat(bob.nextGrant().lease().claim()).isEqualTo(waiting.id());
        assertThat(bob.granted(waiting).validity().deadline()).isPositive();
        assertThat(cem.busy(new Claim(cem.newId(), "a", LEASE, 0, false)).timeLeft())
                .isEqualTo(LEASE);
    }

    @Test
    void theFirstInTheQueueGetsItsFullLeaseWhenItAsksItself() {
        ann.acquire("a");
        Claim waiting = bob.newClaim("a");
        clock.advance(LEASE.minus(MS));
        bob.busy(waiting);
        clock.advance(MS);
        bob.granted(waiting);
        assertThat(cem.busy(cem.newClaim("a")).timeLeft()).isEqualTo(LEASE);
    }

    @Test
    @DisplayName("A hand-over that is not confirmed runs out after the claim period")
    void anUnconfirmedHandOverRunsOut() {
        LeaseId held = ann.acquire("a");
        bob.busy(bob.newClaim("a"));
        Claim next = cem.newClaim("a");
        cem.busy(next);
        ann.release(held);
        assertThat(cem.busy(next).timeLeft()).isEqualTo(WaitingRules.claimPeriod(LEASE));
        clock.advance(WaitingRules.claimPeriod(LEASE));
        assertThat(cem.ask(next)).isInstanceOf(Granted.class);
    }

    @Test
    void deadWaitersArePassedOverAndNotCounted() {
        LeaseId held = ann.acquire("a");
        bob.busy(bob.newClaim("a"));
        clock.advance(WaitingRules.aliveFor(LEASE));
        Claim next = cem.newClaim("a");
        assertThat(cem.busy(next).place()).isEqualTo(1);
        ann.renew(held, LEASE);
        ann.release(held);
        assertThat(ann.inspect("*").get(0).holder().owner()).isEqualTo("owner " + cem.id);
    }

    @Test
    void aWaiterThatKeepsAskingStaysAliveAndInPlace() {
        LeaseId held = ann.acquire("a");
        Claim first = bob.newClaim("a");
        bob.busy(first);
        clock.advance(WaitingRules.askEvery(LEASE));
        Claim second = cem.newClaim("a");
        cem.busy(second);
        for (int i = 0; i < 20; i++) {
            assertThat(bob.busy(first).place()).isEqualTo(1);
            clock.advance(WaitingRules.askEvery(LEASE));
            ann.renew(held, LEASE);
            assertThat(cem.busy(second).place()).isEqualTo(2);
        }
    }

    @Test
    void aThousandDeadWaitersDelayNobody() {
        LeaseId held = ann.acquire("a");
        for (int i = 0; i < 1000; i++) {
            bob.busy(bob.newClaim("a"));
        }
        clock.advance(WaitingRules.aliveFor(LEASE));
        ann.release(held);
        assertThat(ann.inspect("*")).isEmpty();
        assertThat(cem.ask(cem.newClaim("a"))).isInstanceOf(Granted.class);
    }

    @Test
    void withdrawLeavesTheQueue() {
        LeaseId held = ann.acquire("a");
        Claim waiting = bob.newClaim("a");
        bob.busy(waiting);
        bob.withdraw(waiting);
        bob.withdraw(waiting);
        ann.release(held);
        assertThat(ann.inspect("*")).isEmpty();
        bob.withdraw(new Claim(bob.newId(), "never seen", LEASE, 0, true));
    }

    @Test
    void withdrawReleasesWhatWasGrantedMeanwhile() throws InterruptedException {
        LeaseId held = ann.acquire("a");
        Claim first = bob.newClaim("a");
        bob.busy(first);
        Claim second = cem.newClaim("a");
        cem.busy(second);
        ann.release(held);
        bob.withdraw(first);
        assertThat(cem.nextGrant().lease().claim()).isEqualTo(second.id());
    }

    @Test
    void aWithdrawalHandsOverWhatHasRunOutMeanwhile() throws InterruptedException {
        Duration end = Duration.ofSeconds(3);
        ann.acquire("a");
        clock.advance(LEASE.minus(end));
        Claim first = bob.newClaim("a");
        bob.busy(first);
        Claim second = cem.newClaim("a");
        cem.busy(second);
        clock.advance(end);
        bob.withdraw(first);
        assertThat(cem.nextGrant().lease().claim()).isEqualTo(second.id());
    }

    @Test
    void aKeptLockStaysTakenForNobody() {
        LeaseId held = ann.acquire("a");
        assertThat(ann.release(held, Duration.ofSeconds(7))).isEqualTo(ReleaseAnswer.RELEASED);
        clock.advance(Duration.ofSeconds(3));
        assertThat(ann.release(held, Duration.ofSeconds(7))).isEqualTo(ReleaseAnswer.NOT_HELD);
        Claim waiting = bob.newClaim("a");
        Busy busy = bob.busy(waiting);
        assertThat(busy.timeLeft()).isEqualTo(Duration.ofSeconds(4));
        assertThat(busy.holder().owner()).isEmpty();
        assertThat(ann.renew(held, LEASE)).isInstanceOf(RenewAnswer.Lost.class);
        clock.advance(Duration.ofSeconds(4));
        assertThat(bob.ask(waiting)).isInstanceOf(Granted.class);
    }

    @Test
    void inspectionTellsWhatIsHeldKeptAndWaitedFor() {
        LeaseId b = ann.acquire("b/1");
        ann.acquire("a");
        ann.release(ann.acquire("kept"), LEASE);
        ann.release(ann.acquire("free"));
        bob.busy(bob.newClaim("b/1"));
        cem.busy(cem.newClaim("b/1"));

        assertThat(ann.inspect("*")).extracting(LockInfo::name).containsExactly("a", "b/1", "kept");
        LockInfo info = ann.inspect("b?1").get(0);
        HolderInfo holder = info.holder();
        assertThat(holder.token()).isEqualTo(b.token());
        assertThat(holder.since()).isEqualTo(TxContext.instant(clock.wallMicros()));
        assertThat(holder.until())
                .isEqualTo(TxContext.instant(clock.wallMicros()).plus(LEASE));
        assertThat(info.waiters()).extracting(WaiterInfo::owner).containsExactly("owner " + bob.id, "owner " + cem.id);
        assertThat(info.waiters()).extracting(WaiterInfo::place).containsExactly(1, 2);

        clock.advance(LEASE);
        assertThat(ann.inspect("*")).isEmpty();
    }

    @Test
    void breakingEndsExactlyTheLeaseOfTheRun() throws InterruptedException {
        Granted granted = ann.granted(new Claim(ann.newId(), "a", LEASE, 3, true));
        long token = granted.lease().token();
        assertThat(bob.breakLease("a", token - 1)).isFalse();
        assertThat(bob.breakLease("a", token + 4)).isFalse();
        assertThat(bob.breakLease("other", token)).isFalse();
        Claim waiting = cem.newClaim("a");
        cem.busy(waiting);
        assertThat(bob.breakLease("a", token + 3)).isTrue();
        assertThat(ann.nextDoubt()).isEqualTo("a");
        assertThat(ann.renew(granted.lease(), LEASE)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(cem.nextGrant().lease().claim()).isEqualTo(waiting.id());
        assertThat(bob.breakLease("a", token)).isFalse();
    }

    @Test
    void namespacesAndNamesAreKeptApart() {
        Path file = directory.resolve("locks.db");
        List<String> names =
                List.of("a", "A", "a ", "../a", "'; DROP TABLE leasehold_lock; --", "{a}", "\uD83D\uDD12", "a\nb", "%");
        try (TestClient other = new TestClient(file, clock, "a", Duration.ofSeconds(10))) {
            for (String name : names) {
                ann.acquire(name);
                assertThat(other.ask(other.newClaim(name))).isInstanceOf(Granted.class);
            }
            assertThat(other.inspect("*")).hasSize(names.size());
        }
        assertThat(ann.inspect("*")).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void hugeAndTinyDurationsAreTakenAsTheyCome() {
        Granted granted = ann.granted(new Claim(ann.newId(), "a", Duration.ofSeconds(Long.MAX_VALUE), 0, true));
        assertThat(bob.busy(new Claim(bob.newId(), "a", LEASE, 0, false)).timeLeft())
                .isEqualTo(ann.store.maxLease());
        assertThat(granted.validity().isOver(System.nanoTime())).isFalse();
        Granted tiny = ann.granted(new Claim(ann.newId(), "b", Duration.ofNanos(1), 0, true));
        assertThat(tiny.validity().isOver(System.nanoTime())).isTrue();
    }
}
