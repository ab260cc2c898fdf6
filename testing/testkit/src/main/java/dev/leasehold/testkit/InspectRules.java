package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Inspect rules say that the inspection shows holders and waiters as the store has them. */
interface InspectRules extends StoreRules {

    @Test
    default void aHeldLockShowsItsHolderAndItsWaitersInOrder() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient first = fixture().client();
        first.join(lock);
        StoreClient second = fixture().client();
        second.join(lock);
        LockInfo info = fixture().client().info(lock);
        HolderInfo seen = StoreClient.present("the holder", info.holder());
        assertThat(seen.owner()).isEqualTo(holder.owner);
        assertThat(seen.token()).isEqualTo(lease.token());
        if (seen.timeLeft() != null) {
            assertThat(seen.timeLeft()).isBetween(LONG.dividedBy(2), LONG);
        }
        if (seen.since() != null && seen.until() != null) {
            assertThat(Duration.between(seen.since(), seen.until())).isBetween(LONG.dividedBy(2), LONG.plusMinutes(1));
        }
        assertThat(info.waiters()).extracting(WaiterInfo::owner).containsExactly(first.owner, second.owner);
        assertThat(info.waiters()).extracting(WaiterInfo::place).containsExactly(1, 2);
    }

    @Test
    default void aLockThatNobodyHoldsOrWaitsForIsNotShown() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        assertThat(client.shows(lock)).isFalse();
        LeaseId lease = client.acquire(lock).lease();
        client.release(lease);
        assertThat(client.shows(lock)).isFalse();
    }

    @Test
    default void aLeaseThatRanOutIsNotShown() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, StoreClient.SHORT);
        fixture().letPass(StoreClient.SHORT.multipliedBy(2));
        assertThat(client.shows(lock)).isFalse();
    }

    @Test
    default void lookingChangesNothing() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.inspect("*");
        client.inspect("*");
        assertThat(client.has(lease)).isTrue();
    }

    @Test
    @DisplayName("A pattern says which locks and they come in the order of their names")
    default void aPatternChoosesLocksInTheOrderOfNames() {
        StoreClient client = fixture().client(namespace());
        for (String name : new String[] {"b2", "a1", "b1", "b11", "B1", "*", "b?"}) {
            client.acquire(name);
        }
        assertThat(client.inspect("b*")).extracting(LockInfo::name).containsExactly("b1", "b11", "b2", "b?");
        assertThat(client.inspect("?1")).extracting(LockInfo::name).containsExactly("B1", "a1", "b1");
        assertThat(client.inspect("b\\?")).extracting(LockInfo::name).containsExactly("b?");
        assertThat(client.inspect("\\*")).extracting(LockInfo::name).containsExactly("*");
        assertThat(client.inspect("b1")).extracting(LockInfo::name).containsExactly("b1");
        assertThat(client.inspect("c*")).isEmpty();
        assertThat(client.inspect("*")).hasSize(7);
    }

    @Test
    default void aNamespaceShowsOnlyItsOwnLocks() {
        StoreClient one = fixture().client(namespace());
        StoreClient other = fixture().client(namespace());
        one.acquire("same");
        assertThat(other.inspect("*")).isEmpty();
        assertThat(one.inspect("*")).extracting(LockInfo::name).containsExactly("same");
    }

    private static String namespace() {
        return UUID.randomUUID().toString();
    }
}
