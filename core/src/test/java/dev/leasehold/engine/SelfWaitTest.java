package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** These tests are about a thread that waits for a lock because of a lease of its own, with one share or two. */
class SelfWaitTest {

    private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
    private final Logger logger = Logger.getLogger("dev.leasehold");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(new SimpleFormatter().formatMessage(entry));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final Leasehold leasehold = Leasehold.connect("memory:");

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        leasehold.close();
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
                        heard.complete(String.valueOf(warnings.poll(20, TimeUnit.SECONDS)));
                        held.close();
                    } catch (Exception e) {
                        heard.completeExceptionally(e);
                    }
                },
                "watcher");
        watcher.start();
        again.acquire().close();
        watcher.join();
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
            assertThat(one.isValid() && two.isValid() && three.isValid()).isTrue();
        }
        assertThat(warnings).isEmpty();
    }

    /** A wait that ends by itself is no deadlock. */
    @Test
    void aLimitedWaitIsNotWarnedOf() throws Exception {
        try (Lease other = elsewhere(2);
                Lease own = leasehold.semaphore("api", 2).acquire()) {
            assertThat(leasehold.semaphore("api", 3).tryAcquire(java.time.Duration.ofMillis(50)))
                    .isEmpty();
            assertThat(other.isValid() && own.isValid()).isTrue();
        }
        assertThat(warnings).isEmpty();
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
