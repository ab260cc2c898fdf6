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
import org.junit.jupiter.api.Test;

/** Waiting: first in, first out, and only the living. */
interface QueueRules extends StoreRules {

    @Test
    default void whoQueuesIsToldItsPlace() {
        String lock = bench().lock();
        bench().client().acquire(lock);
        for (int place = 1; place <= 4; place++) {
            StoreClient waiter = bench().client();
            assertThat(waiter.busy(waiter.newClaim(lock, LONG, true)).place()).isEqualTo(place);
        }
    }

    @Test
    default void askingAgainKeepsThePlace() {
        String lock = bench().lock();
        bench().client().acquire(lock);
        StoreClient first = bench().client();
        Claim firstClaim = first.join(lock);
        StoreClient second = bench().client();
        Claim secondClaim = second.join(lock);
        for (int i = 0; i < 3; i++) {
            assertThat(first.busy(firstClaim).place()).isEqualTo(1);
            assertThat(second.busy(secondClaim).place()).isEqualTo(2);
        }
        assertThat(first.waiters(lock)).hasSize(2);
    }

    @Test
    default void waitersAreServedInTheOrderInWhichTheyCame() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        List<StoreClient> waiters = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiters.add(bench().client());
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
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient client = bench().client();
        Claim first = client.join(lock);
        Claim second = client.join(lock);
        holder.release(lease);
        client.busy(second);
        client.release(client.granted(first).lease());
        client.granted(second);
    }

    @Test
    default void nobodyOvertakesTheQueueAfterARelease() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = bench().client();
        Claim claim = waiter.join(lock);
        holder.release(lease);
        StoreClient late = bench().client();
        late.busy(late.newClaim(lock, LONG, false));
        holder.busy(holder.newClaim(lock, LONG, false));
        waiter.granted(claim);
    }

    @Test
    default void nobodyOvertakesTheQueueWhenTheLeaseRunsOut() {
        String lock = bench().lock();
        bench().client().acquire(lock, SHORT);
        StoreClient waiter = bench().client();
        Claim claim = waiter.newClaim(lock, LONG, true);
        boolean joined = waiter.ask(claim) instanceof ClaimAnswer.Busy;
        assumeThat(joined).as("the test was faster than the lease").isTrue();
        StoreClient late = bench().client();
        bench().letPass(SHORT.multipliedBy(2));
        late.busy(late.newClaim(lock, LONG, true));
        waiter.granted(claim);
    }

    @Test
    default void aWaiterThatWentSilentIsPassedOver() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        bench().client().join(lock, SHORT);
        StoreClient living = bench().client();
        Claim claim = living.join(lock);
        bench().letPass(WaitingRules.aliveFor(SHORT).multipliedBy(2));
        holder.release(lease);
        living.granted(claim);
    }

    @Test
    default void manyWaitersThatWentSilentTogetherAreAllPassedOverAtOnce() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        for (int i = 0; i < 10; i++) {
            bench().client().join(lock, SHORT);
        }
        bench().letPass(WaitingRules.aliveFor(SHORT).multipliedBy(2));
        holder.release(lease);
        bench().client().acquire(lock);
    }

    @Test
    default void silentWaitersLeaveNothingBehind() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        bench().client().join(lock, SHORT);
        bench().letPass(WaitingRules.aliveFor(SHORT).multipliedBy(2));
        assertThat(holder.waiters(lock)).isEmpty();
        holder.release(lease);
        assertThat(holder.shows(lock)).isFalse();
    }

    @Test
    default void aWaiterThatKeepsAskingStaysInTheQueue() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = bench().client();
        Duration duration = Duration.ofSeconds(2);
        long asked = bench().time().nanos();
        Claim claim = waiter.join(lock, duration);
        bench().client().join(lock);
        for (int i = 0; i < 4; i++) {
            long askedBefore = asked;
            bench().letPass(WaitingRules.askEvery(duration));
            asked = bench().time().nanos();
            ClaimAnswer.Busy busy = waiter.busy(claim);
            assumeThat(Duration.ofNanos(bench().time().nanos() - askedBefore))
                    .as("the machine is fast enough")
                    .isLessThan(WaitingRules.aliveFor(duration));
            assertThat(busy.place()).isEqualTo(1);
        }
        holder.release(lease);
        waiter.granted(claim);
    }
}
