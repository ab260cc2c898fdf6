package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Claim rules concern asking for a lock, and asking again. */
interface ClaimRules extends StoreRules {

    @Test
    default void aFreeLockIsGrantedToAnyClaim() {
        String lock = fixture().lock();
        ClaimAnswer.Granted grant = fixture().client().acquire(lock);
        assertThat(grant.lease().token()).isPositive();
        assertThat(grant.spare()).isBetween(0, Claim.MOST_SPARE);
    }

    @Test
    @DisplayName("A grant is valid for no longer than asked for counted from the request")
    default void aGrantsValidityCountsFromTheRequest() {
        StoreClient client = fixture().client();
        ClockReading before = fixture().time().now();
        ClaimAnswer.Granted grant = client.acquire(fixture().lock());
        ClockReading after = fixture().time().now();
        assertThat(grant.validity().sentAt().nanos() - before.nanos()).isNotNegative();
        assertThat(after.nanos() - grant.validity().sentAt().nanos()).isNotNegative();
        Duration valid = Duration.ofNanos(
                grant.validity().nanosLeft(grant.validity().sentAt().nanos()));
        assertThat(valid)
                .isBetween(
                        LONG.dividedBy(2), LONG.multipliedBy(99).dividedBy(100).minusMillis(2));
    }

    @Test
    default void aTakenLockIsBusyAndNamesItsHolder() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        ClaimAnswer.Granted grant = holder.acquire(lock);
        StoreClient other = fixture().client();
        ClaimAnswer.Busy busy = other.busy(other.newClaim(lock, LONG, false));
        HolderInfo seen = StoreClient.present("the holder", busy.holder());
        assertThat(seen.owner()).isEqualTo(holder.owner);
        assertThat(seen.token()).isEqualTo(grant.lease().token());
        if (busy.timeLeft() != null) {
            assertThat(busy.timeLeft()).isBetween(Duration.ZERO, LONG);
        }
        assertThat(holder.has(grant.lease())).isTrue();
    }

    @Test
    default void aTakenLockIsBusyAlsoForAnotherClaimOfItsHolder() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        client.acquire(lock);
        client.busy(client.newClaim(lock, LONG, false));
    }

    @Test
    default void aClaimThatDoesNotAskToQueueStandsInNoQueue() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        ClaimAnswer.Granted grant = holder.acquire(lock);
        StoreClient other = fixture().client();
        assertThat(other.busy(other.newClaim(lock, LONG, false)).place()).isZero();
        assertThat(holder.waiters(lock)).isEmpty();
        holder.release(grant.lease());
        assertThat(fixture().client().finds(lock)).isTrue();
    }

    @Test
    default void theHolderThatAsksAgainGetsTheSameLease() {
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(fixture().lock(), LONG, true);
        ClaimAnswer.Granted first = client.granted(claim);
        ClaimAnswer.Granted second = client.granted(claim);
        assertThat(second.lease()).isEqualTo(first.lease());
        assertThat(second.spare()).isEqualTo(first.spare());
        assertThat(client.waiters(claim.lock())).isEmpty();
    }

    @Test
    default void aRepeatedClaimExtendsTheLease() {
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(fixture().lock(), LONG, false);
        client.granted(claim);
        ClaimAnswer.Granted again =
                client.granted(new Claim(claim.id(), claim.lock(), LONG.multipliedBy(2), claim.spare(), false));
        assertThat(again.validity().nanosLeft(fixture().time().nanos()))
                .isGreaterThan(LONG.multipliedBy(3).dividedBy(2).toNanos());
    }

    @Test
    default void aRepeatedClaimNeverShortensTheLease() {
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(fixture().lock(), LONG, false);
        client.granted(claim);
        ClaimAnswer.Granted again =
                client.granted(new Claim(claim.id(), claim.lock(), Duration.ofMillis(100), claim.spare(), false));
        assertThat(again.validity().nanosLeft(fixture().time().nanos()))
                .isGreaterThan(LONG.dividedBy(2).toNanos());
    }

    @Test
    default void aLeaseThatIsNotRenewedRunsOutAndNotBeforeItsTime() {
        String lock = fixture().lock();
        StoreClient other = fixture().client();
        long before = fixture().time().nanos();
        ClaimAnswer.Granted grant = fixture().client().acquire(lock, StoreClient.SHORT);
        fixture().eventually("the lease has run out", () -> other.finds(lock));
        assertThat(Duration.ofNanos(fixture().time().nanos() - before)).isGreaterThanOrEqualTo(StoreClient.SHORT);
        assertThat(grant.validity().isOver(fixture().time().nanos())).isTrue();
    }

    @Test
    default void veryLongLeasesAreGrantedUpToTheStoresLongest() {
        StoreClient client = fixture().client();
        ClaimAnswer.Granted grant = client.acquire(fixture().lock(), client.store.maxLease());
        assertThat(grant.validity().isOver(fixture().time().nanos())).isFalse();
        client.release(grant.lease());
    }
}
