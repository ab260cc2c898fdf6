package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import org.junit.jupiter.api.Test;

/** Break rules say that an operator ends exactly the lease that it has seen. */
interface BreakRules extends StoreRules {

    @Test
    default void breakingEndsTheLeaseAndItsHolderLearnsIt() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient operator = fixture().client();
        assertThat(operator.breakLease(lock, lease.token())).isTrue();
        assertThat(holder.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(holder.release(lease)).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(holder.doubted).allSatisfy(doubt -> assertThat(doubt).isIn(lock, "*"));
        assertThat(operator.shows(lock)).isFalse();
    }

    @Test
    default void anyTokenOfTheRunNamesTheLeaseAndNoOtherDoes() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
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
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId earlier = client.acquire(lock).lease();
        client.release(earlier);
        StoreClient successor = fixture().client();
        LeaseId theirs = successor.acquire(lock).lease();
        assertThat(client.breakLease(lock, earlier.token())).isFalse();
        assertThat(successor.has(theirs)).isTrue();
    }

    @Test
    default void breakingTwiceEndsOnlyOneLease() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        assertThat(client.breakLease(lock, lease.token())).isTrue();
        assertThat(client.breakLease(lock, lease.token())).isFalse();
        waiter.granted(claim);
    }

    @Test
    default void breakingHandsOverToTheFirstInTheQueue() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        StoreClient operator = fixture().client();
        operator.breakLease(lock, lease.token());
        operator.busy(operator.newClaim(lock, LONG, false));
        waiter.granted(claim);
    }

    @Test
    default void breakingALockThatNobodyHoldsDoesNothing() {
        String lock = fixture().lock();
        assertThat(fixture().client().breakLease(lock, 1)).isFalse();
        assertThat(fixture().client().shows(lock)).isFalse();
    }
}
