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
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** End rules concern giving a lock back. */
interface EndRules extends LeaseholdRules {

    @Test
    default void aReleaseSaysThatTheLockWasHeldUntilThen() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture().client().lock(name).acquire();
        Queue<LeaseState> told = new ConcurrentLinkedQueue<>();
        lease.addListener((which, state) -> told.add(state));
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(ClientFixture.get(lease.releaseAsync())).isEqualTo(LeaseState.RELEASED);
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        lease.close();
        ClientFixture.eventually("the listener is told", () -> told.contains(LeaseState.RELEASED));
        assertThat(told).doesNotContain(LeaseState.LOST);
    }

    @Test
    default void aReleasedLockIsFreeInTheStore() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        DistributedLock lock = fixture().client().lock(name);
        assertThat(lock.acquire().release()).isEqualTo(LeaseState.RELEASED);
        assertThat(elsewhere.shows(name)).isFalse();
        assertThat(ClientFixture.get(lock.acquire().releaseAsync())).isEqualTo(LeaseState.RELEASED);
        assertThat(elsewhere.shows(name)).isFalse();
        lock.acquire().close();
        ClientFixture.eventually("it is free", () -> !elsewhere.shows(name));
    }

    @Test
    default void aReleaseIsOverLocallyAtOnceWhateverTheStoreDoes() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture().client().lock(name).acquire();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        var released = lease.releaseAsync();
        assertThat(lease.isValid()).isFalse();
        assertThat(released).isNotDone();
        fixture().store.plan(FaultPlan.none());
        assertThat(ClientFixture.get(released)).isEqualTo(LeaseState.RELEASED);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> !elsewhere.shows(name));
    }

    @Test
    @DisplayName("Closing waits for an unreachable store for about a second; the rest is done in the background")
    default void closingWaitsASecondForAnUnreachableStore() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture().patientClient().lock(name).acquire();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        long start = System.nanoTime();
        assertThatCode(lease::close).doesNotThrowAnyException();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ClientFixture.LONGEST_WAIT);
        assertThat(lease.isValid()).isFalse();
        fixture().store.plan(FaultPlan.none());
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> !elsewhere.shows(name));
    }

    @Test
    default void aReleaseWhoseAnswerWasLostCountsAsReleased() throws Exception {
        fixture().store.plan(FaultPlan.script(Message.RELEASE, Fault.LOSE_ANSWER, Fault.LOSE_ANSWER));
        Lease lease = fixture().client().lock(fixture().lock()).acquire();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    @DisplayName("A release that comes twice or late does not touch the successor")
    default void aReleaseTwiceOrLateSparesTheSuccessor() throws Exception {
        for (Fault fault : new Fault[] {Fault.REPEAT, Fault.LATE, Fault.DELAY_REQUEST}) {
            String name = fixture().lock();
            StoreClient elsewhere = fixture().probe();
            fixture().store.plan(FaultPlan.script(Message.RELEASE, fault));
            Lease lease = fixture().client().lock(name).acquire();
            var theirs = elsewhere.join(name);
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            var successor = elsewhere.granted(theirs).lease();
            ClientFixture.pause(Duration.ofMillis(120));
            assertThat(elsewhere.has(successor)).as("after %s", fault).isTrue();
        }
    }

    @Test
    @DisplayName("A lease that the store has forgotten was lost and not released")
    default void aForgottenLeaseWasLostAndNotReleased() throws Exception {
        String name = fixture().lock();
        StoreClient operator = fixture().probe();
        fixture().store.plan(message -> message == Message.SIGNAL ? Fault.LOSE_REQUEST : Fault.NONE);
        Lease lease = fixture().client().lock(name).acquire();
        operator.breakLease(name, lease.token());
        assertThat(lease.release()).isEqualTo(LeaseState.LOST);
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }
}
