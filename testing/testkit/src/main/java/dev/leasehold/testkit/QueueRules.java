package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Queue rules concern waiting: first in, first out, and only the living. */
interface QueueRules extends StoreRules {

    @Test
    default void whoQueuesIsToldItsPlace() {
        String lock = fixture().lock();
        fixture().client().acquire(lock);
        for (int place = 1; place <= 4; place++) {
            StoreClient waiter = fixture().client();
            assertThat(waiter.busy(waiter.newClaim(lock, LONG, true)).place()).isEqualTo(place);
        }
    }

    @Test
    default void askingAgainKeepsThePlace() {
        String lock = fixture().lock();
        fixture().client().acquire(lock);
        StoreClient first = fixture().client();
        Claim firstClaim = first.join(lock);
        StoreClient second = fixture().client();
        Claim secondClaim = second.join(lock);
        for (int i = 0; i < 3; i++) {
            assertThat(first.busy(firstClaim).place()).isEqualTo(1);
            assertThat(second.busy(secondClaim).place()).isEqualTo(2);
        }
        assertThat(first.waiters(lock)).hasSize(2);
    }

    @Test
    default void waitersAreServedInTheOrderInWhichTheyCame() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        List<StoreClient> waiters = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiters.add(fixture().client());
            claims.add(waiters.get(i).join(lock));
        }
        // The last one asks often: zeal is not rewarded.
        for (int i = 0; i < 6; i++) {
            holder.release(lease);
            if (i < 5) {
                waiters.get(5).busy(claims.get(5));
            }
            holder = waiters.get(i);
            lease = holder.granted(claims.get(i)).lease();
        }
    }

    @Test
    default void twoClaimsOfOneClientAreTwoWaiters() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient client = fixture().client();
        Claim first = client.join(lock);
        Claim second = client.join(lock);
        holder.release(lease);
        client.busy(second);
        client.release(client.granted(first).lease());
        client.granted(second);
    }

    @Test
    default void nobodyOvertakesTheQueueAfterARelease() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        holder.release(lease);
        StoreClient late = fixture().client();
        late.busy(late.newClaim(lock, LONG, false));
        holder.busy(holder.newClaim(lock, LONG, false));
        waiter.granted(claim);
    }

    @Test
    default void nobodyOvertakesTheQueueWhenTheLeaseRunsOut() {
        String lock = fixture().lock();
        fixture().client().acquire(lock, SHORT);
        StoreClient waiter = fixture().client();
        Claim claim = waiter.newClaim(lock, LONG, true);
        boolean joined = waiter.ask(claim) instanceof ClaimAnswer.Busy;
        assumeThat(joined).as("the test was faster than the lease").isTrue();
        StoreClient late = fixture().client();
        fixture().letPass(SHORT.multipliedBy(2));
        late.busy(late.newClaim(lock, LONG, true));
        waiter.granted(claim);
    }

    @Test
    default void aWaiterThatWentSilentIsPassedOver() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        fixture().client().join(lock, SHORT);
        StoreClient living = fixture().client();
        Claim claim = living.join(lock);
        fixture().letPass(WaitingRules.aliveFor(SHORT).multipliedBy(2));
        holder.release(lease);
        living.granted(claim);
    }

    @Test
    @DisplayName("Many waiters that went silent together are all passed over at once")
    default void manySilentWaitersArePassedOverAtOnce() {
        // A quorum waits for a tenth of it for its masters' answers.
        Duration lease = Duration.ofSeconds(1);
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId held = holder.acquire(lock).lease();
        for (int i = 0; i < 10; i++) {
            fixture().client().join(lock, lease);
        }
        fixture().letPass(WaitingRules.aliveFor(lease).multipliedBy(2));
        holder.release(held);
        fixture().client().acquire(lock);
    }

    @Test
    default void silentWaitersLeaveNothingBehind() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        fixture().client().join(lock, SHORT);
        fixture().letPass(WaitingRules.aliveFor(SHORT).multipliedBy(2));
        assertThat(holder.waiters(lock)).isEmpty();
        holder.release(lease);
        assertThat(holder.shows(lock)).isFalse();
    }

    @Test
    default void aWaiterThatKeepsAskingStaysInTheQueue() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Duration duration = Duration.ofSeconds(2);
        long asked = fixture().time().nanos();
        Claim claim = waiter.join(lock, duration);
        fixture().client().join(lock);
        for (int i = 0; i < 4; i++) {
            long askedBefore = asked;
            fixture().letPass(WaitingRules.askEvery(duration));
            asked = fixture().time().nanos();
            ClaimAnswer.Busy busy = waiter.busy(claim);
            assumeThat(Duration.ofNanos(fixture().time().nanos() - askedBefore))
                    .as("the machine is fast enough")
                    .isLessThan(WaitingRules.aliveFor(duration));
            assertThat(busy.place()).isEqualTo(1);
        }
        holder.release(lease);
        waiter.granted(claim);
    }
}
