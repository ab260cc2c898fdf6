package dev.leasehold.testkit;

import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Permit rules say that as many hold as the smallest share among them says, and nobody overtakes. */
interface PermitRules extends StoreRules {

    private StoreFixture permits() {
        return fixture().granting(2, UNLIMITED);
    }

    @Test
    default void asManyHoldAsTheShareSays() {
        String lock = permits().lock();
        List<LeaseId> leases = new ArrayList<>();
        StoreClient holder = fixture().client();
        for (int i = 0; i < 3; i++) {
            leases.add(holder.acquire(lock, 3).lease());
        }
        StoreClient other = fixture().client();
        other.findsTaken(lock, 3);
        holder.release(leases.get(1));
        other.acquire(lock, 3);
        other.findsTaken(lock, 3);
    }

    @Test
    default void aMutexAndASemaphoreExcludeEachOther() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        StoreClient two = fixture().client();
        LeaseId permit = one.acquire(lock, 3).lease();
        two.findsTaken(lock, EXCLUSIVE);
        one.release(permit);
        LeaseId mutex = two.acquire(lock).lease();
        one.findsTaken(lock, 3);
        one.findsTaken(lock, UNLIMITED);
        two.release(mutex);
        one.acquire(lock, 3);
    }

    @Test
    default void theStricterOfHolderAndAskerCounts() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        StoreClient two = fixture().client();
        one.acquire(lock, 5);
        one.acquire(lock, 5);
        two.findsTaken(lock, 2);
        two.acquire(lock, 3);
        one.findsTaken(lock, 5);
        one.findsTaken(lock, UNLIMITED);
    }

    @Test
    default void aReaderCountsForASemaphore() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, UNLIMITED);
        client.acquire(lock, 2);
        client.findsTaken(lock, 2);
        client.findsTaken(lock, UNLIMITED);
    }

    @Test
    default void theLimitRisesWhenTheStrictestHasLeft() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        StoreClient two = fixture().client();
        LeaseId strict = one.acquire(lock, 2).lease();
        two.acquire(lock, 5);
        Claim waiting = two.join(lock, 5);
        Claim next = two.join(lock, 5);
        one.release(strict);
        two.granted(waiting);
        two.granted(next);
        two.acquire(lock, 5);
    }

    @Test
    default void aNewLimitIsRolledOutHolderByHolder() {
        String lock = permits().lock();
        StoreClient old = fixture().client();
        StoreClient renewed = fixture().client();
        List<LeaseId> olds = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            olds.add(old.acquire(lock, 3).lease());
        }
        renewed.findsTaken(lock, 5);
        for (int i = 0; i < 3; i++) {
            old.release(olds.get(i));
            renewed.acquire(lock, 5);
            if (i < 2) {
                renewed.findsTaken(lock, 5);
            }
        }
        renewed.acquire(lock, 5);
        old.findsTaken(lock, 3);
        renewed.acquire(lock, 5);
        renewed.findsTaken(lock, 5);
    }

    @Test
    default void waitersComeInUntilTheFirstThatDoesNotFit() {
        String lock = permits().lock();
        StoreClient mutex = fixture().client();
        LeaseId held = mutex.acquire(lock).lease();
        List<StoreClient> waiters = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        for (int share : new int[] {4, 3, EXCLUSIVE, 4}) {
            StoreClient waiter = fixture().client();
            waiters.add(waiter);
            claims.add(waiter.join(lock, share));
        }
        mutex.release(held);
        fixture().handedOver(lock, waiters.get(0));
        fixture().handedOver(lock, waiters.get(1));
        assertThat(waiters).extracting(waiter -> waiter.holds(lock)).containsExactly(true, true, false, false);
        waiters.get(3).busy(claims.get(3));
        waiters.get(2).busy(claims.get(2));
        mutex.findsTaken(lock, 4);
    }

    @Test
    default void theFirstThatDoesNotFitIsNotPassedOver() {
        String lock = permits().lock();
        StoreClient holder = fixture().client();
        LeaseId one = holder.acquire(lock, 3).lease();
        LeaseId two = holder.acquire(lock, 3).lease();
        StoreClient strict = fixture().client();
        Claim waiting = strict.join(lock, 2);
        StoreClient easy = fixture().client();
        Claim behind = easy.join(lock, 3);
        // There is room for a third, and the one that would fit stands behind one that does not.
        easy.busy(behind);
        easy.findsTaken(lock, 3);
        holder.release(one);
        strict.granted(waiting);
        easy.busy(behind);
        holder.release(two);
        easy.granted(behind);
    }

    @Test
    default void aWithdrawnWaiterLetsTheNextIn() {
        String lock = permits().lock();
        fixture().client().acquire(lock, 3);
        StoreClient strict = fixture().client();
        Claim waiting = strict.join(lock, EXCLUSIVE);
        StoreClient one = fixture().client();
        Claim first = one.join(lock, 3);
        StoreClient two = fixture().client();
        Claim second = two.join(lock, 3);
        StoreClient three = fixture().client();
        Claim third = three.join(lock, 3);
        strict.withdraw(waiting);
        fixture().handedOver(lock, one);
        fixture().handedOver(lock, two);
        assertThat(one.holds(lock)).isTrue();
        assertThat(two.holds(lock)).isTrue();
        assertThat(three.holds(lock)).isFalse();
        one.granted(first);
        two.granted(second);
        three.busy(third);
    }

    @Test
    default void theShareOfTheFirstArrivalCounts() {
        String lock = permits().lock();
        StoreClient holder = fixture().client();
        LeaseId held = holder.acquire(lock, 3).lease();
        StoreClient waiter = fixture().client();
        Claim strict = waiter.join(lock, EXCLUSIVE);
        waiter.busy(new Claim(strict.id(), lock, 3, LONG, true));
        holder.release(held);
        waiter.granted(strict);
        holder.findsTaken(lock, 3);
    }

    @Test
    default void aRepeatedClaimTakesNoSecondPlace() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        Claim claim = one.newClaim(lock, 2, LONG, true);
        LeaseId lease = one.granted(claim).lease();
        assertThat(one.granted(claim).lease()).isEqualTo(lease);
        StoreClient two = fixture().client();
        two.acquire(lock, 2);
        assertThat(two.holders(lock)).hasSize(2);
    }

    @Test
    default void aReleaseConcernsOneHolder() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        LeaseId one = client.acquire(lock, 2).lease();
        LeaseId two = client.acquire(lock, 2).lease();
        client.release(one);
        assertThat(client.has(one)).isFalse();
        assertThat(client.has(two)).isTrue();
        client.release(one);
        LeaseId mixed = new LeaseId(lock, one.claim(), two.token());
        client.release(mixed);
        assertThat(client.has(two)).isTrue();
        client.findsTaken(lock, EXCLUSIVE);
    }

    @Test
    default void aBreakConcernsOneHolder() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        LeaseId first = one.acquire(lock, 2).lease();
        StoreClient two = fixture().client();
        LeaseId second = two.acquire(lock, 2).lease();
        StoreClient waiter = fixture().client();
        Claim waiting = waiter.join(lock, 2);
        assertThat(waiter.breakLease(lock, first.token())).isTrue();
        fixture().handedOver(lock, waiter);
        assertThat(waiter.holds(lock)).isTrue();
        assertThat(one.has(first)).isFalse();
        assertThat(two.has(second)).isTrue();
        waiter.granted(waiting);
        assertThat(waiter.breakLease(lock, first.token())).isFalse();
    }

    @Test
    default void allHoldersAreShownWithTheirShares() {
        String lock = permits().lock();
        StoreClient one = fixture().client();
        StoreClient two = fixture().client();
        LeaseId first = one.acquire(lock, 5).lease();
        LeaseId second = two.acquire(lock, UNLIMITED).lease();
        List<HolderInfo> shown = one.holders(lock);
        assertThat(shown).extracting(HolderInfo::token).containsExactly(first.token(), second.token());
        assertThat(shown).extracting(HolderInfo::share).containsExactly(5, UNLIMITED);
        assertThat(shown).extracting(HolderInfo::owner).containsExactly(one.owner, two.owner);
    }

    @Test
    default void aSignalledGrantNamesShareAndSlot() {
        String lock = permits().lock();
        StoreClient holder = fixture().client();
        LeaseId one = holder.acquire(lock, 2).lease();
        holder.acquire(lock, 2);
        StoreClient waiter = fixture().client();
        Claim waiting = waiter.join(lock, 2);
        holder.release(one);
        int slot = waiter.granted(waiting).slot();
        assertThat(waiter.grants).allSatisfy(grant -> {
            assertThat(grant.share()).isEqualTo(2);
            assertThat(grant.slot()).isIn(slot, dev.leasehold.spi.Grant.NO_SLOT);
        });
    }
}
