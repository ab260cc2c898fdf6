package dev.leasehold.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.test.TestLeasehold;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** These tests show what counts as an answer of the store. */
class LastContactTest {

    private final LastContact contact = new LastContact();
    private final TestLeasehold locks = TestLeasehold.create(LockOptions.defaults(), contact);
    private final DistributedLock lock = locks.leasehold().lock("x");

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void nothingIsKnownBeforeTheStoreWasAsked() {
        assertThat(contact.last()).isNull();
    }

    @Test
    void aGrantOfTheStoreIsOne() throws Exception {
        lock.acquire().close();
        assertThat(contact.last()).isNotNull();
    }

    @Test
    void soIsABusyLock() throws Exception {
        locks.holdElsewhere("x");
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(contact.last()).isNotNull();
    }

    @Test
    void soIsARenewal() throws Exception {
        Lease lease = lock.acquire();
        Instant granted = contact.last();
        locks.advance(Duration.ofSeconds(11));
        assertThat(contact.last()).isAfter(granted);
        lease.close();
    }

    /** It says nothing of the store. */
    @Test
    void aHandOverWithinTheProcessIsNone() {
        Lease first = lock.acquireAsync().join();
        CompletableFuture<Lease> second = lock.acquireAsync();
        CompletableFuture<Lease> third = lock.acquireAsync();
        first.releaseAsync();
        locks.advance(Duration.ZERO);
        Instant granted = contact.last();
        second.join().releaseAsync();
        locks.advance(Duration.ZERO);
        assertThat(third).isCompleted();
        assertThat(contact.last()).isEqualTo(granted);
        third.join().close();
    }

    @Test
    void healthSaysWhenAStoreThatIsAwayHasLastAnswered() throws Exception {
        LeaseholdHealthIndicator health = new LeaseholdHealthIndicator(locks.leasehold(), contact);
        lock.acquire().close();
        Instant granted = contact.last();
        locks.storeDown();
        Health down = locks.whileTimePasses(() -> health.health());
        assertThat(down.getStatus()).isEqualTo(Status.DOWN);
        assertThat(down.getDetails()).containsEntry("lastContact", granted);
        assertThat(contact.last()).isEqualTo(granted);
        locks.storeUp();
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
        assertThat(contact.last()).isAfter(granted);
    }
}
