package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Renew rules say that a renewal never shortens a lease, never revives a dead one, and never renews somebody else's. */
interface RenewRules extends StoreRules {

    @Test
    default void aRenewalMovesTheEndCountedFromItsOwnRequest() {
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(fixture().lock()).lease();
        long before = fixture().time().nanos();
        Validity renewed = client.renewed(lease, LONG.multipliedBy(2));
        assertThat(renewed.sentAt().nanos() - before).isNotNegative();
        assertThat(renewed.nanosLeft(renewed.sentAt().nanos()))
                .isBetween(
                        LONG.multipliedBy(3).dividedBy(2).toNanos(),
                        LONG.multipliedBy(2).multipliedBy(99).dividedBy(100).toNanos());
    }

    @Test
    default void aRenewalNeverShortens() {
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(fixture().lock()).lease();
        Validity renewed = client.renewed(lease, Duration.ofMillis(1));
        assertThat(renewed.nanosLeft(fixture().time().nanos()))
                .isGreaterThan(LONG.dividedBy(2).toNanos());
        fixture().letPass(Duration.ofMillis(50));
        assertThat(client.has(lease)).isTrue();
    }

    @Test
    default void aRenewalMayComeTwice() {
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(fixture().lock()).lease();
        client.renewed(lease, LONG);
        client.renewed(lease, LONG);
        assertThat(client.holder(lease.lock()).token()).isEqualTo(lease.token());
    }

    @Test
    default void aRenewalDoesNotBringBackALeaseThatRanOut() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock, SHORT).lease();
        fixture().letPass(SHORT.multipliedBy(2));
        assertThat(client.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(fixture().client().finds(lock)).isTrue();
    }

    @Test
    default void aRenewalDoesNotBringBackALeaseThatWasReleased() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.release(lease);
        assertThat(client.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(fixture().client().finds(lock)).isTrue();
    }

    @Test
    default void aLateRenewalDoesNotTouchTheSuccessor() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.release(lease);
        StoreClient successor = fixture().client();
        LeaseId theirs = successor.acquire(lock, SHORT).lease();
        assertThat(client.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        fixture().eventually("the successor's lease has run out", () -> !successor.has(theirs));
    }

    @Test
    default void aRenewalNeedsBothTheClaimAndTheToken() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        LeaseId otherToken = new LeaseId(lock, lease.claim(), lease.token() + 1);
        LeaseId otherClaim = new LeaseId(lock, new ClaimId(client.id, 1_000), lease.token());
        LeaseId otherClient = new LeaseId(
                lock, new ClaimId(fixture().client().id, lease.claim().counter()), lease.token());
        assertThat(client.renew(otherToken, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(client.renew(otherClaim, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(client.renew(otherClient, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(client.has(lease)).isTrue();
    }

    @Test
    default void aRenewalOfALockThatNeverWasIsLost() {
        StoreClient client = fixture().client();
        LeaseId never = new LeaseId(fixture().lock(), new ClaimId(client.id, 1), 1);
        assertThat(client.renew(never, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(client.shows(never.lock())).isFalse();
    }

    @Test
    default void aRenewalDoesNotDisturbTheQueue() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        waiter.join(lock);
        holder.renewed(lease, LONG.multipliedBy(2));
        assertThat(holder.waiters(lock)).hasSize(1);
    }
}
