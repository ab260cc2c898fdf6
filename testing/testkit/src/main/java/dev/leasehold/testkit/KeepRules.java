package dev.leasehold.testkit;

import static dev.leasehold.spi.ReleaseAnswer.NOT_HELD;
import static dev.leasehold.spi.ReleaseAnswer.RELEASED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Keep rules concern a lock that stays taken for a while after its release. */
interface KeepRules extends StoreRules {

    Duration KEPT = Duration.ofMillis(300);

    @Test
    default void aKeptLockIsTakenWithoutAHolder() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        assertThat(client.release(lease, LONG)).isEqualTo(RELEASED);
        client.busy(client.newClaim(lock, LONG, false));
        assertThat(client.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(client.holder(lock).owner()).isEmpty();
    }

    @Test
    default void aKeptLockIsFreeWhenItsTimeIsOverAndNotBefore() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        long released = fixture().time().nanos();
        client.release(lease, KEPT);
        StoreClient other = fixture().client();
        fixture().eventually("the time is over", () -> other.finds(lock));
        assertThat(Duration.ofNanos(fixture().time().nanos() - released)).isGreaterThanOrEqualTo(KEPT);
    }

    @Test
    default void aKeptLockGoesToTheFirstInTheQueueWhenItsTimeIsOver() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        StoreClient first = fixture().client();
        Claim firstClaim = first.join(lock);
        StoreClient second = fixture().client();
        Claim secondClaim = second.join(lock);
        long released = fixture().time().nanos();
        client.release(lease, KEPT);
        if (first.ask(firstClaim) instanceof ClaimAnswer.Granted) {
            assertThat(Duration.ofNanos(fixture().time().nanos() - released)).isGreaterThanOrEqualTo(KEPT);
        }
        fixture().letPass(KEPT.plusMillis(50));
        second.busy(secondClaim);
        first.granted(firstClaim);
    }

    @Test
    default void aRepeatedReleaseDoesNotStartTheTimeAnew() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.release(lease, KEPT);
        assertThat(client.release(lease, LONG)).isEqualTo(NOT_HELD);
        StoreClient other = fixture().client();
        fixture().eventually("the time is over", () -> other.finds(lock));
    }

    @Test
    default void aRepeatedReleaseDoesNotEndTheTime() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.release(lease, LONG);
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
        client.busy(client.newClaim(lock, LONG, false));
    }

    @Test
    default void aLockMayBeKeptForLongerAndForShorterThanItsLease() {
        StoreClient client = fixture().client();
        String lock;
        do { // A busy machine may be late for a short lease.
            lock = fixture().lock();
        } while (client.release(client.acquire(lock, StoreClient.SHORT).lease(), LONG) != RELEASED);
        fixture().letPass(StoreClient.SHORT.multipliedBy(2));
        ClaimAnswer.Busy busy = client.busy(client.newClaim(lock, LONG, false));
        if (busy.timeLeft() != null) {
            assertThat(busy.timeLeft()).isBetween(LONG.dividedBy(2), LONG);
        }
        String other = fixture().lock();
        client.release(client.acquire(other).lease(), KEPT);
        fixture().eventually("the time is over", () -> client.finds(other));
    }
}
