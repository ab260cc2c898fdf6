package dev.leasehold.testkit;

import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Slot rules say that a slot is the smallest that is free, fixed, unique among the living; that tokens increase, and that
 * there are no runs.
 */
interface SlotRules extends StoreRules {

    private StoreFixture slots() {
        return fixture().granting(2, UNLIMITED);
    }

    @Test
    default void theSmallestFreeSlotIsGiven() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        List<LeaseId> leases = new ArrayList<>();
        for (int slot = 0; slot < 4; slot++) {
            ClaimAnswer.Granted grant = client.acquire(lock, 5);
            assertThat(grant.slot()).isEqualTo(slot);
            leases.add(grant.lease());
        }
        client.release(leases.get(2));
        client.release(leases.get(1));
        assertThat(client.acquire(lock, 5).slot()).isEqualTo(1);
        assertThat(client.acquire(lock, 5).slot()).isEqualTo(2);
        assertThat(client.acquire(lock, 5).slot()).isEqualTo(4);
    }

    @Test
    default void aSlotIsFixedAtTheGrant() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        LeaseId first = client.acquire(lock, 3).lease();
        Claim claim = client.newClaim(lock, 3, LONG, false);
        ClaimAnswer.Granted grant = client.granted(claim);
        assertThat(grant.slot()).isEqualTo(1);
        client.release(first);
        client.renewed(grant.lease(), LONG);
        ClaimAnswer.Granted again = client.granted(claim);
        assertThat(again.slot()).isEqualTo(1);
        assertThat(again.lease()).isEqualTo(grant.lease());
    }

    @Test
    default void aSlotIsHandedOverToTheWaiter() {
        String lock = slots().lock();
        StoreClient holder = fixture().client();
        holder.acquire(lock, 3);
        LeaseId middle = holder.acquire(lock, 3).lease();
        holder.acquire(lock, 3);
        StoreClient waiter = fixture().client();
        Claim waiting = waiter.join(lock, 3);
        holder.release(middle);
        ClaimAnswer.Granted grant = waiter.granted(waiting);
        assertThat(grant.slot()).isEqualTo(1);
        assertThat(grant.lease().token()).isGreaterThan(middle.token());
    }

    @Test
    default void anExpiredHolderIsInTheWayOfNoSlot() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, 3, SHORT);
        StoreClient other = fixture().client();
        // On a slow machine the first lease may be over already.
        int beside = other.acquire(lock, 3).slot();
        fixture().eventually("the lease has run out", () -> other.holders(lock).size() == 1);
        assertThat(other.acquire(lock, 3).slot()).isEqualTo(beside == 0 ? 1 : 0);
    }

    @Test
    default void aKeptSlotIsNotGivenAway() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock, 3).lease();
        client.release(lease, LONG);
        assertThat(client.acquire(lock, 3).slot()).isEqualTo(1);
        assertThat(client.breakLease(lock, lease.token())).isTrue();
        assertThat(client.acquire(lock, 3).slot()).isZero();
    }

    @Test
    default void slotsAreBelowTheOwnShare() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        List<LeaseId> wide = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            wide.add(client.acquire(lock, 8).lease());
        }
        for (int i = 0; i < 3; i++) {
            client.release(wide.get(i));
        }
        ClaimAnswer.Granted narrow = client.acquire(lock, 2);
        assertThat(narrow.slot()).isZero();
        client.findsTaken(lock, 8);
    }

    @Test
    default void onlyPermitsHaveSlots() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        ClaimAnswer.Granted mutex = client.acquire(lock);
        assertThat(mutex.slot()).isEqualTo(Grant.NO_SLOT);
        client.release(mutex.lease());
        assertThat(client.acquire(lock, UNLIMITED).slot()).isEqualTo(Grant.NO_SLOT);
        assertThat(client.acquire(lock, 4).slot()).isZero();
    }

    @Test
    default void theSlotsOfHoldersAreShown() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, 3);
        client.acquire(lock, 3);
        assertThat(client.holders(lock))
                .extracting(HolderInfo::slot)
                .extracting(slot -> slot.orElse(-1))
                .containsExactly(0, 1);
    }

    @Test
    default void sharedGrantsReserveNoRun() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        long last = 0;
        for (int i = 0; i < 5; i++) {
            ClaimAnswer.Granted grant = client.acquire(lock, 5);
            assertThat(grant.spare()).isZero();
            assertThat(grant.lease().token()).isGreaterThan(last);
            last = grant.lease().token();
        }
    }

    @Test
    default void tokensOfASlotIncrease() {
        String lock = slots().lock();
        StoreClient client = fixture().client();
        Map<Integer, Long> last = new TreeMap<>();
        for (int round = 0; round < 4; round++) {
            List<LeaseId> leases = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ClaimAnswer.Granted grant = client.acquire(lock, 3);
                assertThat(grant.lease().token()).isGreaterThan(last.getOrDefault(grant.slot(), 0L));
                last.put(grant.slot(), grant.lease().token());
                leases.add(grant.lease());
            }
            leases.forEach(client::release);
        }
        assertThat(last).containsOnlyKeys(0, 1, 2);
        assertThat(client.acquire(lock).lease().token())
                .isGreaterThan(last.values().stream().max(Long::compare).orElseThrow());
        client.findsTaken(lock, EXCLUSIVE);
    }

    @Test
    default void manyAtOnceKeepToTheLimit() throws Exception {
        String lock = slots().lock();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        Map<Integer, Long> bySlot = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                StoreClient client = fixture().client();
                all.add(threads.submit(() -> {
                    for (int n = 0; n < 15; n++) {
                        if (client.ask(client.newClaim(lock, 3, LONG, false)) instanceof ClaimAnswer.Granted grant) {
                            assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(3);
                            assertThat(grant.slot()).isBetween(0, 2);
                            assertThat(bySlot.put(grant.slot(), grant.lease().token()))
                                    .as("another holder of the slot %s", grant.slot())
                                    .isNull();
                            entered.incrementAndGet();
                            bySlot.remove(grant.slot());
                            inside.decrementAndGet();
                            client.release(grant.lease());
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(entered.get()).isPositive();
        assertThat(fixture().client().shows(lock)).isFalse();
    }
}
