package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Loss rules say that a lost lock is never reported as held, and its holder learns of the loss in every way in which it
 * can ask.
 */
interface LossRules extends LeaseholdRules {

    @Test
    default void aBrokenLockIsLostAndItsHolderIsTold() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name, ClientFixture.OPTIONS);
        Lease lease = lock.acquire();
        Queue<LeaseState> told = new ConcurrentLinkedQueue<>();
        lease.addListener((which, state) -> told.add(state));
        assertThat(fixture().client().breakLock(name, lease.token())).isTrue();
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        assertOver(lease);
        assertThat(lease.release()).isEqualTo(LeaseState.LOST);
        assertThatCode(lease::close).doesNotThrowAnyException();
        ClientFixture.eventually("the listener is told", () -> told.contains(LeaseState.LOST));
        Queue<LeaseState> toldLate = new ConcurrentLinkedQueue<>();
        lease.addListener((which, state) -> toldLate.add(state));
        ClientFixture.eventually("a late listener is told", () -> toldLate.contains(LeaseState.LOST));
    }

    @Test
    @DisplayName("A holder that is cut off hears by its deadline, from its own clock alone")
    default void aHolderCutOffIsToldByItsOwnClock() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture().client().lock(name, ClientFixture.BRIEF).acquire();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        // How soon is the simulator's business; here: at all, and without an answer.
        assertOver(lease);
    }

    @Test
    @DisplayName("A holder that is cut off is never valid after its successor has the lock")
    default void aHolderCutOffIsNeverValidBesideItsSuccessor() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        Lease lease = fixture().client().lock(name, ClientFixture.BRIEF).acquire();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        ClientFixture.eventually("the successor has it", () -> elsewhere.finds(name));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    default void aRenewalThatIsLateIsARiskAndNoLoss() throws Exception {
        Lease lease =
                fixture().client().lock(fixture().lock(), ClientFixture.OPTIONS).acquire();
        Queue<LeaseState> told = new ConcurrentLinkedQueue<>();
        lease.addListener((which, state) -> told.add(state));
        fixture().store.plan(message -> message == Message.RENEW ? Fault.LOSE_REQUEST : Fault.NONE);
        ClientFixture.eventually(
                "it is at risk", () -> lease.state() == LeaseState.AT_RISK || told.contains(LeaseState.LOST));
        fixture().store.plan(FaultPlan.none());
        ClientFixture.eventually(
                "it is held again", () -> lease.state() == LeaseState.HELD || told.contains(LeaseState.LOST));
        assertThat(told).startsWith(LeaseState.AT_RISK);
        lease.close();
    }

    @Test
    default void aLeaseIsRenewedForAsLongAsItIsHeld() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        try (Lease lease = fixture().client().lock(name, ClientFixture.OPTIONS).acquire()) {
            AtomicInteger renewals = fixture().renewals();
            while (renewals.get() < 4) {
                assertThat(lease.isValid()).isTrue();
                assertThat(elsewhere.finds(name)).isFalse();
                ClientFixture.pause(Duration.ofMillis(50));
            }
        }
    }

    @Test
    default void aRenewalWhoseAnswerWasLostIsNoLoss() throws Exception {
        fixture().store.plan(FaultPlan.script(Message.RENEW, Fault.LOSE_ANSWER, Fault.LOSE_ANSWER));
        try (Lease lease =
                fixture().client().lock(fixture().lock(), ClientFixture.OPTIONS).acquire()) {
            assertThat(lease.extend(ClientFixture.OPTIONS.leaseDuration().multipliedBy(2)))
                    .isGreaterThan(ClientFixture.OPTIONS.leaseDuration());
            lease.ensureValid();
        }
    }

    @Test
    @DisplayName("After a loss the same process can acquire again with a greater token")
    default void aLossIsFollowedByAGreaterToken() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        Lease lost = lock.acquire();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        fixture().probe().breakLease(name, lost.token());
        try (Lease next = ClientFixture.get(waiting)) {
            assertThat(next.token()).isGreaterThan(lost.token());
            assertThat(lost.isValid()).isFalse();
            next.ensureValid();
        }
    }

    @Test
    @DisplayName("A loss that the store reports counts at once and does not wait for the deadline")
    default void aLossThatTheStoreReportsCountsAtOnce() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture()
                .client()
                .lock(name, ClientFixture.OPTIONS.withLeaseDuration(Duration.ofMinutes(10)))
                .acquire();
        fixture().probe().breakLease(name, lease.token());
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(1))).isInstanceOf(LeaseLostException.class);
        assertOver(lease);
    }

    @Test
    default void anExtensionMakesALeaseLonger() throws Exception {
        try (Lease lease = fixture().client().lock(fixture().lock()).acquire()) {
            assertThat(lease.extend(Duration.ofMinutes(10))).isGreaterThan(Duration.ofMinutes(5));
            assertThat(lease.extend(Duration.ofMillis(100))).isGreaterThan(Duration.ofMinutes(5));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(5));
        }
    }

    private static void assertOver(Lease lease) {
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.lock()).isEqualTo(lease.name());
            assertThat(lost.token()).isEqualTo(lease.token());
        });
    }
}
