package dev.leasehold.testkit;

import static dev.leasehold.spi.ReleaseAnswer.NOT_HELD;
import static dev.leasehold.spi.ReleaseAnswer.RELEASED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Release rules say that a release ends one's own lease and no other, however late, however often. */
interface ReleaseRules extends StoreRules {

    @Test
    default void aReleasedLockIsFreeAtOnce() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        assertThat(client.release(lease)).isEqualTo(RELEASED);
        assertThat(client.shows(lock)).isFalse();
        fixture().client().acquire(lock);
    }

    @Test
    default void aRepeatedReleaseSaysNotHeld() {
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(fixture().lock()).lease();
        assertThat(client.release(lease)).isEqualTo(RELEASED);
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
    }

    @Test
    default void aRepeatedReleaseDoesNotTouchTheSuccessor() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        Claim claim = waiter.join(lock);
        client.release(lease);
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
        LeaseId theirs = waiter.granted(claim).lease();
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
        assertThat(waiter.has(theirs)).isTrue();
    }

    @Test
    @DisplayName("A release after the lease ran out says so and the successor keeps its lock")
    default void aLateReleaseSaysSoAndSparesTheSuccessor() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock, SHORT).lease();
        fixture().letPass(SHORT.multipliedBy(2));
        StoreClient successor = fixture().client();
        LeaseId theirs = successor.acquire(lock).lease();
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
        assertThat(successor.has(theirs)).isTrue();
    }

    @Test
    @DisplayName("A release after the lease ran out says so also without a successor")
    default void aLateReleaseSaysSoAlsoWithoutASuccessor() {
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(fixture().lock(), SHORT).lease();
        fixture().letPass(SHORT.multipliedBy(2));
        assertThat(client.release(lease)).isEqualTo(NOT_HELD);
    }

    @Test
    default void aReleaseNeedsBothTheClaimAndTheToken() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        ClaimId otherClient = new ClaimId(fixture().client().id, lease.claim().counter());
        assertThat(client.release(new LeaseId(lock, lease.claim(), lease.token() - 1)))
                .isEqualTo(NOT_HELD);
        assertThat(client.release(new LeaseId(lock, lease.claim(), lease.token() + 1)))
                .isEqualTo(NOT_HELD);
        assertThat(client.release(new LeaseId(lock, new ClaimId(client.id, 1_000), lease.token())))
                .isEqualTo(NOT_HELD);
        assertThat(client.release(new LeaseId(lock, otherClient, lease.token())))
                .isEqualTo(NOT_HELD);
        assertThat(client.has(lease)).isTrue();
    }

    @Test
    @DisplayName("A release of an earlier grant of the same claim does not touch a later one")
    default void aReleaseOfAnEarlierGrantSparesALaterOne() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId first = client.acquire(lock, SHORT).lease();
        fixture().letPass(SHORT.multipliedBy(2));
        LeaseId second = client.granted(new Claim(first.claim(), lock, LONG, Claim.MOST_SPARE, false))
                .lease();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(client.release(first)).isEqualTo(NOT_HELD);
        assertThat(client.has(second)).isTrue();
    }

    @Test
    default void aReleaseOfALockThatNeverWasSaysNotHeld() {
        StoreClient client = fixture().client();
        LeaseId never = new LeaseId(fixture().lock(), new ClaimId(client.id, 1), 1);
        assertThat(client.release(never)).isEqualTo(NOT_HELD);
    }

    @Test
    default void aReleaseHandsOverInTheSameStep() {
        String lock = fixture().lock();
        StoreClient holder = fixture().client();
        LeaseId lease = holder.acquire(lock).lease();
        StoreClient waiter = fixture().client();
        waiter.join(lock);
        holder.release(lease);
        fixture().handedOver(lock, waiter);
        assertThat(holder.holder(lock))
                .isNotNull()
                .satisfies(next -> assertThat(next.owner()).isEqualTo(waiter.owner));
    }
}
