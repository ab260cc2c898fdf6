package dev.leasehold.testkit;

import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Token rules say that each grant's token is greater than the whole run of every grant before it. */
interface TokenRules extends StoreRules {

    @Test
    default void tokensIncreaseFromReleaseToGrant() {
        String lock = fixture().lock();
        StoreClient a = fixture().client();
        StoreClient b = fixture().client();
        long last = 0;
        for (int i = 0; i < 20; i++) {
            StoreClient client = i % 2 == 0 ? a : b;
            ClaimAnswer.Granted grant = client.acquire(lock);
            last = next(last, grant);
            client.release(grant.lease());
        }
    }

    @Test
    default void tokensIncreaseAlsoBeyondARunThatWasReserved() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        long last = 0;
        for (int spare : new int[] {0, 1, Claim.MOST_SPARE, 0, Claim.MOST_SPARE}) {
            Claim template = client.newClaim(lock, LONG, false);
            ClaimAnswer.Granted grant = client.granted(new Claim(template.id(), lock, LONG, spare, false));
            last = next(last, grant);
            client.release(grant.lease());
        }
    }

    @Test
    default void tokensIncreaseWhenALeaseRunsOut() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        long last = next(0, client.acquire(lock, SHORT));
        fixture().letPass(SHORT.multipliedBy(2));
        next(last, client.acquire(lock));
    }

    @Test
    default void tokensIncreaseWithEveryHandOver() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        ClaimAnswer.Granted grant = client.acquire(lock);
        long last = next(0, grant);
        for (int i = 0; i < 5; i++) {
            Claim waiting = client.join(lock);
            client.release(grant.lease());
            grant = client.granted(waiting);
            last = next(last, grant);
        }
    }

    @Test
    default void tokensIncreaseAfterABreak() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        ClaimAnswer.Granted grant = client.acquire(lock);
        long last = next(0, grant);
        client.breakLease(lock, grant.lease().token());
        next(last, client.acquire(lock));
    }

    @Test
    default void tokensIncreaseAfterAWithdrawal() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        Claim claim = client.newClaim(lock, LONG, true);
        long last = next(0, client.granted(claim));
        client.withdraw(claim);
        next(last, client.acquire(lock));
    }

    @Test
    default void tokensIncreaseAfterALockWasKept() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        ClaimAnswer.Granted grant = client.acquire(lock);
        long last = next(0, grant);
        client.release(grant.lease(), Duration.ofMillis(100));
        fixture().letPass(Duration.ofMillis(200));
        next(last, client.acquire(lock));
    }

    @Test
    @DisplayName("Tokens increase also for a lock that was unused while many others were used")
    default void tokensIncreaseForALockThatWasUnused() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        ClaimAnswer.Granted grant = client.acquire(lock);
        long last = next(0, grant);
        client.release(grant.lease());
        for (int i = 0; i < 300; i++) {
            LeaseId other = client.acquire(fixture().lock()).lease();
            client.release(other);
        }
        next(last, client.acquire(lock));
    }

    private static long next(long last, ClaimAnswer.Granted grant) {
        assertThat(grant.lease().token()).isGreaterThan(last);
        return grant.lease().token() + grant.spare();
    }
}
