package dev.leasehold.testkit;

import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static dev.leasehold.testkit.StoreClient.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Shared end rules say that each holder has an end of its own: its renewals, its release and its death concern nobody
 * else.
 */
interface SharedEndRules extends StoreRules {

    private StoreFixture permits() {
        return fixture().granting(2, UNLIMITED);
    }

    @Test
    default void aDeadPermitComesBack() {
        String lock = permits().lock();
        StoreClient dead = fixture().client();
        LeaseId lost = dead.acquire(lock, 2, SHORT).lease();
        StoreClient living = fixture().client();
        LeaseId held = living.acquire(lock, 2).lease();
        Claim waiting = living.newClaim(lock, 2, LONG, true);
        fixture().eventually("the dead one's lease has run out", () -> {
            living.renewed(held, LONG);
            return living.ask(waiting) instanceof ClaimAnswer.Granted;
        });
        assertThat(dead.renew(lost, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(dead.release(lost)).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(living.has(held)).isTrue();
    }

    @Test
    default void aDeadReaderDoesNotStopAWriterForLong() {
        String lock = fixture().granting(UNLIMITED).lock();
        fixture().client().acquire(lock, UNLIMITED, SHORT);
        StoreClient reader = fixture().client();
        LeaseId held = reader.acquire(lock, UNLIMITED).lease();
        StoreClient writer = fixture().client();
        fixture().letPass(SHORT.multipliedBy(2));
        writer.findsTaken(lock, EXCLUSIVE);
        reader.release(held);
        writer.acquire(lock);
    }

    @Test
    default void theLockIsTakenUntilTheLastReaderHasLeft() {
        String lock = fixture().granting(UNLIMITED).lock();
        StoreClient one = fixture().client();
        LeaseId lasting = one.acquire(lock, UNLIMITED).lease();
        StoreClient two = fixture().client();
        two.acquire(lock, UNLIMITED, SHORT);
        fixture().letPass(SHORT.multipliedBy(2));
        StoreClient writer = fixture().client();
        writer.findsTaken(lock, EXCLUSIVE);
        assertThat(one.has(lasting)).isTrue();
        one.release(lasting);
        assertThat(writer.finds(lock)).isTrue();
    }

    @Test
    default void anExpiredHolderSetsNoLimit() {
        String lock = permits().lock();
        StoreClient strict = fixture().client();
        LeaseId dead = strict.acquire(lock, 2, SHORT).lease();
        StoreClient client = fixture().client();
        client.acquire(lock, 4);
        fixture().eventually("the strict one's lease has run out", () -> !strict.has(dead));
        client.acquire(lock, 4);
        client.acquire(lock, 4);
        client.acquire(lock, 4);
        client.findsTaken(lock, 4);
    }

    @Test
    default void aRenewalConcernsOneHolder() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        LeaseId brief = client.acquire(lock, 2, SHORT).lease();
        LeaseId lasting = client.acquire(lock, 2).lease();
        client.renewed(lasting, LONG);
        fixture().eventually("the other one's lease has run out", () -> !client.has(brief));
        assertThat(client.has(lasting)).isTrue();
        client.renewed(lasting, SHORT);
        fixture().letPass(SHORT.multipliedBy(2));
        assertThat(client.has(lasting)).isTrue();
    }

    @Test
    default void aKeptPermitCounts() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        LeaseId one = client.acquire(lock, 2).lease();
        client.acquire(lock, 2);
        assertThat(client.release(one, LONG)).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(client.has(one)).isFalse();
        client.findsTaken(lock, 2);
        assertThat(client.release(one)).isEqualTo(ReleaseAnswer.NOT_HELD);
        client.findsTaken(lock, 2);
        assertThat(client.breakLease(lock, one.token())).isTrue();
        client.acquire(lock, 2);
    }

    @Test
    default void aKeptPermitKeepsItsShare() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        client.release(client.acquire(lock, 2).lease(), LONG);
        client.acquire(lock, 5);
        client.findsTaken(lock, 5);
    }

    @Test
    default void aKeptReaderKeepsWritersOutForItsTime() {
        String lock = fixture().granting(UNLIMITED).lock();
        StoreClient reader = fixture().client();
        LeaseId lease = reader.acquire(lock, UNLIMITED).lease();
        long released = fixture().time().nanos();
        reader.release(lease, KeepRules.KEPT);
        StoreClient writer = fixture().client();
        reader.acquire(lock, UNLIMITED, Duration.ofMillis(100));
        fixture().eventually("the time is over", () -> writer.finds(lock));
        assertThat(Duration.ofNanos(fixture().time().nanos() - released)).isGreaterThanOrEqualTo(KeepRules.KEPT);
    }

    @Test
    default void busyTellsWhenTheAskerWouldFit() {
        String lock = permits().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, 2);
        client.acquire(lock, 2, LONG.dividedBy(10));
        Duration permit = client.findsTaken(lock, 2).timeLeft();
        if (permit != null) {
            assertThat(permit).isBetween(LONG.dividedBy(20), LONG.dividedBy(10));
        }
        Duration mutex = client.findsTaken(lock, EXCLUSIVE).timeLeft();
        if (mutex != null) {
            assertThat(mutex).isBetween(LONG.dividedBy(2), LONG);
        }
    }
}
