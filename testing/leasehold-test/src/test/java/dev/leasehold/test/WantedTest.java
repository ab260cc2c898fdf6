package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests show what a holder learns of those who wait for its lock, in this process and in others. */
class WantedTest {

    private final TestLeasehold locks = TestLeasehold.create();
    private final DistributedLock lock = locks.leasehold().lock("x");
    private final Counting counting = new Counting();

    private static final class Counting implements LeaseListener {
        private final AtomicInteger times = new AtomicInteger();

        @Override
        public void onState(Lease lease, LeaseState state) {}

        @Override
        public void onContended(Lease lease) {
            times.incrementAndGet();
        }
    }

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void aCallerOfThisProcessIsKnownAtOnce() throws Exception {
        Lease lease = lock.acquire();
        lease.addListener(counting);
        CompletableFuture<Lease> first = lock.acquireAsync();
        locks.advance(Duration.ZERO);
        assertThat(lease.isContended()).isTrue();
        assertThat(counting.times).hasValue(1);
        CompletableFuture<Lease> second = lock.acquireAsync();
        locks.advance(Duration.ZERO);
        assertThat(counting.times).hasValue(1);
        first.cancel(true);
        second.cancel(true);
        locks.advance(Duration.ZERO);
        assertThat(lease.isContended()).isFalse();
        CompletableFuture<Lease> third = lock.acquireAsync();
        locks.advance(Duration.ZERO);
        assertThat(counting.times).hasValue(2);
        assertThat(third).isNotDone();
        lease.close();
    }

    @Test
    void aListenerThatComesLaterLearnsOfWhoWaitsAlready() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        lease.addListener(counting);
        locks.advance(Duration.ZERO);
        assertThat(counting.times).hasValue(1);
        waiting.cancel(true);
        lease.close();
    }

    @Test
    void anotherProcessIsKnownByTheNextRenewal() throws Exception {
        Lease lease = lock.acquire();
        lease.addListener(counting);
        CompletableFuture<Lease> elsewhere = locks.anotherClient().lock("x").acquireAsync();
        locks.advance(Duration.ofSeconds(11));
        assertThat(lease.isContended()).isTrue();
        assertThat(counting.times).hasValue(1);
        elsewhere.cancel(true);
        locks.advance(Duration.ofSeconds(11));
        assertThat(lease.isContended()).isFalse();
        lease.close();
    }

    @Test
    void theNextHolderIsWantedByThoseBehindIt() {
        Lease first = lock.acquireAsync().join();
        CompletableFuture<Lease> second = lock.acquireAsync();
        CompletableFuture<Lease> third = lock.acquireAsync();
        first.releaseAsync();
        locks.advance(Duration.ZERO);
        assertThat(first.isContended()).isFalse();
        assertThat(second.join().isContended()).isTrue();
        second.join().releaseAsync();
        locks.advance(Duration.ZERO);
        assertThat(third.join().isContended()).isFalse();
        third.join().releaseAsync();
    }

    @Test
    void aTryIsNoWait() throws Exception {
        Lease lease = lock.acquire();
        lease.addListener(counting);
        assertThat(lock.tryAcquire()).isEmpty();
        locks.advance(Duration.ofMinutes(1));
        assertThat(lease.isContended()).isFalse();
        assertThat(counting.times).hasValue(0);
        lease.close();
    }
}
