package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import org.junit.jupiter.api.Test;

/** An operator ends a lease that it has seen: exactly that one. */
interface BreakRules extends StoreRules {

    @Test
    default void breakingEndsTheLeaseAndItsHolderLearnsIt() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient operator = bench().client();
        assertThat(operator.breakLease(lock, lease.token())).isTrue();
        assertThat(holder.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(holder.release(lease)).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(holder.doubted).allSatisfy(doubt -> assertThat(doubt).isIn(lock, "*"));
        assertThat(operator.shows(lock)).isFalse();
    }

    @Test
    default void anyTokenOfTheRunNamesTheLeaseAndNoOtherDoes() {
        String lock = bench().lock();
        StoreClient client = bench().client();
        for (int place = 0; place < 3; place++) {
            ClaimAnswer.Granted grant = client.acquire(lock);
            long first = grant.lease().token();
            long last = first + grant.spare();
            assertThat(client.breakLease(lock, first - 1)).isFalse();
            assertThat(client.breakLease(lock, last + 1)).isFalse();
            assertThat(client.breakLease(lock, 0)).isFalse();
            assertThat(client.has(grant.lease())).isTrue();
            assertThat(client.breakLease(lock, first + place * (long) grant.spare() / 2))
                    .isTrue();
            assertThat(client.has(grant.lease())).isFalse();
        }
    }

    @Test
    default void breakingAnEarlierLeaseDoesNotTouchTheSuccessor() {
        String lock = bench().lock();
        StoreClient client = bench().client();
        LeaseId earlier = client.acquire(lock).lease();
        client.release(earlier);
        StoreClient successor = bench().client();
        LeaseId theirs = successor.acquire(lock).lease();
        assertThat(client.breakLease(lock, earlier.token())).isFalse();
        assertThat(successor.has(theirs)).isTrue();
    }

    @Test
    default void breakingTwiceEndsOnlyOneLease() {
        String lock = bench().lock();
        StoreClient client = bench().client();
        LeaseId lease = client.acquire(lock).lease();
        StoreClient waiter = bench().client();
        Claim claim = waiter.join(lock);
        assertThat(client.breakLease(lock, lease.token())).isTrue();
        assertThat(client.breakLease(lock, lease.token())).isFalse();
        waiter.granted(claim);
    }

    @Test
    default void breakingHandsOverToTheFirstInTheQueue() {
        String lock = bench().lock();
        StoreClient holder = bench().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = bench().client();
        Claim claim = waiter.join(lock);
        StoreClient operator = bench().client();
        operator.breakLease(lock, lease.token());
        operator.busy(operator.newClaim(lock, LONG, false));
        waiter.granted(claim);
    }

    @Test
    default void breakingALockThatNobodyHoldsDoesNothing() {
        String lock = bench().lock();
        assertThat(bench().client().breakLease(lock, 1)).isFalse();
        assertThat(bench().client().shows(lock)).isFalse();
    }
}
