package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Busy;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about rows that were written on the clock of another boot. */
class SqliteRebootTest {

    private static final Duration LEASE = TestClient.LEASE;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final SettableClock first = new SettableClock();
    private final SettableClock second = new SettableClock();
    private final SettableClock third = new SettableClock();
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("locks.db");
        second.reboot("boot-2");
        third.reboot("boot-3");
        // The reading of one clock says nothing under another.
        first.advance(Duration.ofHours(10));
        second.advance(Duration.ofHours(1));
        third.advance(Duration.ofDays(2));
    }

    @Test
    @DisplayName("A lease of another boot ends one full lease after it was first seen")
    void aLeaseOfAnotherBootEndsALeaseAfterItWasSeen() {
        LeaseId before;
        try (TestClient ann = new TestClient(file, first)) {
            before = ann.acquire("a");
        }
        try (TestClient bob = new TestClient(file, second)) {
            assertThat(bob.busy(unqueued(bob)).timeLeft()).isEqualTo(LEASE);
            second.advance(LEASE.minus(SECOND));
        }
        try (TestClient cem = new TestClient(file, second)) { // Not a process that lives long enough by itself.
            assertThat(cem.busy(unqueued(cem)).timeLeft()).isEqualTo(SECOND);
            second.advance(SECOND);
            assertThat(cem.granted(unqueued(cem)).lease().token()).isGreaterThan(before.token());
        }
    }

    @Test
    @DisplayName("A holder that lives on under another clock keeps its lease by renewing")
    void renewingKeepsALeaseUnderAnotherClock() {
        try (TestClient ann = new TestClient(file, first);
                TestClient bob = new TestClient(file, second)) {
            LeaseId held = ann.acquire("a");
            for (int i = 0; i < 5; i++) {
                assertThat(bob.ask(unqueued(bob))).isInstanceOf(Busy.class);
                second.advance(LEASE.minus(SECOND));
                first.advance(LEASE.minus(SECOND));
                assertThat(ann.renew(held, LEASE)).isInstanceOf(RenewAnswer.Renewed.class);
            }
            assertThat(bob.busy(unqueued(bob)).timeLeft()).isEqualTo(LEASE);
            second.advance(LEASE);
            assertThat(bob.ask(unqueued(bob))).isInstanceOf(Granted.class);
            assertThat(ann.renew(held, LEASE)).isInstanceOf(RenewAnswer.Lost.class);
            assertThat(ann.release(held)).isEqualTo(ReleaseAnswer.NOT_HELD);
        }
    }

    /** Other holders that come and go beside them do not start their time anew. */
    @Test
    void sharedLeasesOfAnotherBootEndOneByOne() {
        try (TestClient ann = new TestClient(file, first)) {
            ann.granted(shared(ann, LEASE));
            ann.granted(shared(ann, LEASE.dividedBy(3)));
        }
        try (TestClient bob = new TestClient(file, second)) {
            assertThat(bob.busy(unqueued(bob)).timeLeft()).isEqualTo(LEASE);
            for (int i = 0; i < LEASE.toSeconds(); i++) {
                Granted beside = bob.granted(shared(bob, LEASE));
                assertThat(beside.slot()).isEqualTo(i < LEASE.dividedBy(3).toSeconds() ? 2 : 1);
                bob.release(beside.lease());
                assertThat(bob.ask(unqueued(bob))).isInstanceOf(Busy.class);
                second.advance(SECOND);
            }
            assertThat(bob.ask(unqueued(bob))).isInstanceOf(Granted.class);
        }
    }

    private static Claim shared(TestClient client, Duration lease) {
        return new Claim(client.newId(), "a", 5, lease, false);
    }

    /** Each counts for itself; if they shared one count, each look of one would start it anew for the other. */
    @Test
    void twoOtherClocksThatLookInTurnBothSeeTheEnd() {
        try (TestClient ann = new TestClient(file, first);
                TestClient bob = new TestClient(file, second);
                TestClient cem = new TestClient(file, third)) {
            ann.acquire("a");
            for (int i = 0; i < 30; i++) {
                assertThat(bob.ask(unqueued(bob))).isInstanceOf(Busy.class);
                assertThat(cem.ask(unqueued(cem))).isInstanceOf(Busy.class);
                second.advance(SECOND);
                third.advance(SECOND);
            }
            assertThat(cem.ask(unqueued(cem))).isInstanceOf(Granted.class);
        }
    }

    @Test
    void whatWasFreeIsFreeAndWhatWasKeptIsKept() {
        try (TestClient ann = new TestClient(file, first)) {
            ann.release(ann.acquire("a"));
            ann.release(ann.acquire("kept"), LEASE);
        }
        try (TestClient bob = new TestClient(file, second)) {
            assertThat(bob.ask(unqueued(bob))).isInstanceOf(Granted.class);
            assertThat(bob.busy(new Claim(bob.newId(), "kept", LEASE, 0, false)).timeLeft())
                    .isEqualTo(LEASE);
        }
    }

    @Test
    void waitersOfAnotherBootKeepTheirPlaceForOneTimeToLive() throws InterruptedException {
        try (TestClient ann = new TestClient(file, first);
                TestClient bob = new TestClient(file, second);
                TestClient cem = new TestClient(file, second)) {
            LeaseId held = ann.acquire("a");
            Claim waiting = bob.newClaim("a");
            bob.busy(waiting);
            assertThat(ann.inspect("a").get(0).waiters()).hasSize(1);
            ann.release(held);
            TestClient.Grant grant = bob.nextGrant();
            assertThat(grant.lease().claim()).isEqualTo(waiting.id());
            assertThat(grant.validity())
                    .as("another boot's time left cannot be told from here")
                    .isNull();
            assertThat(bob.ask(waiting)).isInstanceOf(Granted.class);
            assertThat(cem.busy(unqueued(cem)).timeLeft()).isEqualTo(LEASE);
        }
    }

    private static Claim unqueued(TestClient client) {
        return new Claim(client.newId(), "a", LEASE, 0, false);
    }
}
