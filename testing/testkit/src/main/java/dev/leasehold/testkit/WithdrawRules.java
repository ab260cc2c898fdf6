package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Withdraw rules concern giving a claim up, wherever it stands by then. */
interface WithdrawRules extends StoreRules {

    @Test
    default void aWithdrawnClaimIsGoneFromTheQueue() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        waiter.withdraw(claim);
        assertThat(holder.waiters(lock)).isEmpty();
        holder.release(lease);
        assertThat(holder.shows(lock)).isFalse();
    }

    @Test
    default void thoseBehindAWithdrawnClaimMoveUp() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient leaving = fixture().client();
        Claim left = leaving.join(lock);
        StoreClient staying = fixture().client();
        Claim stays = staying.join(lock);
        leaving.withdraw(left);
        assertThat(staying.busy(stays).place()).isEqualTo(1);
        holder.release(lease);
        staying.granted(stays);
    }

    @Test
    @DisplayName("A claim that was granted meanwhile is released by withdrawing")
    default void withdrawingReleasesWhatWasGrantedMeanwhile() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        StoreClient next = fixture().client();
        Claim nextClaim = next.join(lock);
        holder.release(lease);
        waiter.withdraw(claim);
        next.granted(nextClaim);
    }

    @Test
    default void aClaimWhoseAnswerWasLostIsReleasedByWithdrawing() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(lock, StoreClient.LONG, true);
        client.granted(claim);
        client.withdraw(claim);
        assertThat(client.shows(lock)).isFalse();
    }

    @Test
    default void withdrawingTouchesNoOtherClaim() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim first = waiter.join(lock);
        Claim second = waiter.join(lock);
        waiter.withdraw(first);
        waiter.withdraw(first);
        waiter.withdraw(waiter.newClaim(lock, StoreClient.LONG, true));
        assertThat(holder.has(lease)).isTrue();
        holder.release(lease);
        waiter.granted(second);
    }

    @Test
    default void withdrawingWhatNeverArrivedIsHarmless() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        client.withdraw(client.newClaim(lock, StoreClient.LONG, true));
        assertThat(client.shows(lock)).isFalse();
        client.acquire(lock);
    }

    @Test
    default void withdrawingTwiceDoesNotTouchTheSuccessor() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(lock, StoreClient.LONG, true);
        client.granted(claim);
        client.withdraw(claim);
        StoreClient successor = fixture().client();
        LeaseId theirs = successor.acquire(lock).lease();
        client.withdraw(claim);
        assertThat(successor.has(theirs)).isTrue();
    }
}
