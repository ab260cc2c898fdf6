package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Hand-over rules say that the lock goes to the first in the queue, for a claim period first. */
interface HandOverRules extends StoreRules {

    /** A lease that is short, but long enough for a slow machine to see the hand-over before its time is over. */
    Duration BRIEF = Duration.ofMillis(800);

    @Test
    default void aHandOverGivesAClaimPeriodAndNoMore() {
        String lock = fixture().lock();
        StoreClient waiter = handedOver(lock, fixture().client(), fixture().client());
        HolderInfo holder = waiter.holder(lock);
        assertThat(holder.owner()).isEqualTo(waiter.owner);
        if (holder.timeLeft() != null) {
            assertThat(holder.timeLeft()).isLessThanOrEqualTo(WaitingRules.claimPeriod(LONG));
        }
        assertThat(waiter.waiters(lock)).isEmpty();
    }

    @Test
    @DisplayName("A client that confirms a hand-over has the lock for as long as it asked for")
    default void aConfirmedHandOverLastsAsLongAsAskedFor() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        holder.release(lease);
        ClaimAnswer.Granted grant = waiter.granted(claim);
        assertThat(grant.validity().nanosLeft(fixture().time().nanos()))
                .isGreaterThan(LONG.dividedBy(2).toNanos());
    }

    @Test
    default void aHandOverMayBeConfirmedByARenewal() {
        String lock = fixture().lock();
        StoreClient waiter = handedOver(lock, fixture().client(), fixture().client());
        LeaseId lease = heldBy(waiter, lock);
        assertThat(waiter.renewed(lease, LONG).nanosLeft(fixture().time().nanos()))
                .isGreaterThan(LONG.dividedBy(2).toNanos());
    }

    @Test
    default void aHandOverMayBeDeclinedByARelease() {
        String lock = fixture().lock();
        StoreClient waiter = handedOver(lock, fixture().client(), fixture().client());
        assertThat(waiter.release(heldBy(waiter, lock))).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(fixture().client().finds(lock)).isTrue();
    }

    @Test
    default void aHandOverThatNobodyConfirmsGoesToTheNext() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        fixture().client().join(lock, SHORT);
        StoreClient next = fixture().client();
        Claim claim = next.join(lock);
        holder.release(lease);
        fixture().eventually("the next has it", () -> next.ask(claim) instanceof ClaimAnswer.Granted);
    }

    @Test
    default void whatWasNotConfirmedInTimeIsLost() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock, BRIEF); // Bound: none, the end of this lease is awaited.
        long token = nextToken(holder, lease, waiter);
        fixture().letPass(WaitingRules.claimPeriod(BRIEF).multipliedBy(3));
        LeaseId missed = new LeaseId(lock, claim.id(), token);
        assertThat(waiter.renew(missed, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(waiter.release(missed)).isEqualTo(ReleaseAnswer.NOT_HELD);
    }

    @Test
    default void aSignalIfOneComesNamesTheLeaseThatAskingFinds() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        holder.release(lease);
        LeaseId found = waiter.granted(claim).lease();
        assertThat(waiter.granted).allSatisfy(signalled -> assertThat(signalled).isEqualTo(found));
        assertThat(holder.granted).isEmpty();
    }

    private StoreClient handedOver(String lock, StoreClient holder, StoreClient waiter) {
        LeaseId lease = holder.acquire(lock).lease();
        waiter.join(lock);
        holder.release(lease);
        fixture().handedOver(lock, waiter);
        return waiter;
    }

    /** Returns the lease that a client's first claim was given, as far as others can see. */
    private static LeaseId heldBy(StoreClient client, String lock) {
        HolderInfo holder = client.holder(lock);
        return new LeaseId(lock, new ClaimId(client.id, 1), holder.token());
    }

    /** Releases a lease, and reads, by one look, which token the waiter was given if that has not run out yet. */
    private static long nextToken(StoreClient holder, LeaseId lease, StoreClient waiter) {
        holder.release(lease);
        return waiter.holders(lease.lock()).stream()
                .findFirst()
                .map(HolderInfo::token)
                .orElse(lease.token() + Claim.MOST_SPARE + 1);
    }
}
