package dev.leasehold.test;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests are about a thread that waits for a lock because of a lease of its own, with one share or two. */
class SelfWaitTest {

    private final LogLines log = new LogLines("dev.leasehold", Level.WARNING);
    private final TestLeasehold locks = TestLeasehold.create();
    private final Leasehold leasehold = locks.leasehold();

    @AfterEach
    void close() {
        log.close();
        locks.close();
    }

    /** Holds a lease, and is freed by somebody else when it has been warned. */
    private void warned(AutoCloseable held, Acquire again) throws Exception {
        assertThat(warningOf(held, again)).contains("waits without limit", "shared lease");
    }

    private String warningOf(AutoCloseable held, Acquire again) throws Exception {
        CompletableFuture<String> heard = new CompletableFuture<>();
        Thread watcher = new Thread(
                () -> {
                    try {
                        await().until(() -> !log.lines.isEmpty());
                        heard.complete(log.lines.get(0));
                    } catch (Throwable e) {
                        heard.completeExceptionally(e);
                    }
                    try {
                        held.close();
                    } catch (Exception e) {
                        heard.completeExceptionally(e);
                    }
                },
                "watcher");
        watcher.start();
        locks.whileTimePasses(() -> again.acquire().close());
        watcher.join();
        // Time passes a thousand times as fast as real time: where a thread has no processor for a moment, a lease is
        // lost, and told.
        assertThat(log.lines)
                .filteredOn(line -> line.contains("waits without limit"))
                .hasSize(1);
        return heard.join();
    }

    private interface Acquire {
        AutoCloseable acquire() throws InterruptedException;
    }

    /** The narrower of the two lets nobody in beside its holders. */
    @Test
    void aPermitBesideAPermitOfAnotherNumberIsWarnedOf() throws Exception {
        try (Lease other = elsewhere(2)) {
            warned(
                    leasehold.semaphore("api", 2).acquire(),
                    () -> leasehold.semaphore("api", 3).acquire());
            assertThat(other.isValid()).isTrue();
        }
    }

    @Test
    void aReadBesideAPermitIsWarnedOf() throws Exception {
        try (Lease other = elsewhere(2)) {
            warned(
                    leasehold.semaphore("api", 2).acquire(),
                    () -> leasehold.readWriteLock("api").read().acquire());
            assertThat(other.isValid()).isTrue();
        }
    }

    /** The read waits for itself, since the writer that waits stops later readers. */
    @Test
    void aReadBehindAWriterBesideAReadIsWarnedOf() throws Exception {
        Lease read = leasehold.readWriteLock("api").read().acquire();
        CompletableFuture<Lease> writer = leasehold.readWriteLock("api").write().acquireAsync();
        await().until(() ->
                leasehold.locks("api").stream().anyMatch(lock -> !lock.waiters().isEmpty()));
        CompletableFuture<Void> written = writer.thenAccept(Lease::close);
        warned(read, () -> leasehold.readWriteLock("api").read().acquire());
        written.get(A_MINUTE, TimeUnit.SECONDS);
    }

    @Test
    void aSetBesideALeaseOfOneOfItsNamesIsWarnedOf() throws Exception {
        assertThat(warningOf(
                        leasehold.lock("b").acquire(),
                        () -> leasehold.lockAll("a", "b", "c").acquire()))
                .contains("waits without limit", "'b'");
    }

    @Test
    void aLeaseBesideASetThatHasItsNameIsWarnedOf() throws Exception {
        assertThat(warningOf(
                        leasehold.lockAll("a", "b").acquire(),
                        () -> leasehold.lock("b").acquire()))
                .contains("waits without limit", "'b'");
    }

    @Test
    void sharesThatGoTogetherAreNotWarnedOf() throws Exception {
        try (Lease one = leasehold.semaphore("api", 3).acquire();
                Lease two = leasehold.semaphore("api", 4).acquire();
                Lease three = leasehold.readWriteLock("api").read().acquire()) {
            locks.advance(Duration.ofSeconds(30));
            assertThat(one.isValid() && two.isValid() && three.isValid()).isTrue();
        }
        assertThat(log.lines).isEmpty();
    }

    /** A wait that ends by itself is no deadlock. */
    @Test
    void aLimitedWaitIsNotWarnedOf() throws Exception {
        try (Lease other = elsewhere(2);
                Lease own = leasehold.semaphore("api", 2).acquire()) {
            Duration limit = Duration.ofSeconds(30);
            assertThat(locks.whileTimePasses(() -> leasehold.semaphore("api", 3).tryAcquire(limit)))
                    .isEmpty();
            assertThat(other.isValid() && own.isValid()).isTrue();
        }
        assertThat(log.lines).isEmpty();
    }

    private Lease elsewhere(int permits) throws Exception {
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        lease.complete(leasehold.semaphore("api", permits).acquire());
                    } catch (InterruptedException e) {
                        lease.completeExceptionally(e);
                    }
                },
                "elsewhere");
        thread.start();
        return lease.get(A_MINUTE, TimeUnit.SECONDS);
    }
}
