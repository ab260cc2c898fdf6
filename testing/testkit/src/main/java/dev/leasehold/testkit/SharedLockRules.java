package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.DistributedReadWriteLock;
import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Sharing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Shared lock rules concern semaphores and read-write locks as users have them, as far as the store grants them. */
interface SharedLockRules extends LeaseholdRules {

    private Sharing sharing() {
        return fixture().probe().store.sharing();
    }

    private Leasehold clientWith(int share) {
        assumeThat(sharing().includes(share))
                .as("the store grants the share %s", share)
                .isTrue();
        return fixture().client();
    }

    @Test
    default void aStoreWithoutASharedLockSaysWhy() {
        Sharing sharing = sharing();
        Leasehold client = fixture().client();
        if (!sharing.includes(2)) {
            assertThat(sharing.whyNotAll()).isNotBlank();
            assertThatThrownBy(() -> client.semaphore("a", 2))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(sharing.whyNotAll());
        }
        if (!sharing.includes(Claim.UNLIMITED)) {
            assertThatThrownBy(() -> client.readWriteLock("a"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(sharing.whyNotAll());
        }
    }

    @Test
    default void aSemaphoreHasItsPermitsAndSlots() throws Exception {
        DistributedSemaphore semaphore = clientWith(3).semaphore(fixture().lock(), 3);
        assertThat(semaphore.permits()).isEqualTo(3);
        List<Lease> leases = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
            Lease lease = semaphore.acquire();
            assertThat(lease.isExclusive()).isFalse();
            assertThat(lease.slot()).hasValue(slot);
            leases.add(lease);
        }
        assertThat(semaphore.tryAcquire()).isEmpty();
        leases.get(1).close();
        try (Lease again = semaphore.tryAcquire().orElseThrow()) {
            assertThat(again.slot()).hasValue(1);
            assertThat(again.token()).isGreaterThan(leases.get(2).token());
        }
        assertThat(leases.get(0).release()).isEqualTo(LeaseState.RELEASED);
        assertThat(leases.get(2).release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    default void permitsAreSharedBetweenClients() throws Exception {
        String name = fixture().lock();
        DistributedSemaphore one = clientWith(2).semaphore(name, 2);
        DistributedSemaphore two = fixture().client().semaphore(name, 2);
        Lease first = one.acquire();
        Lease second = two.acquire();
        assertThat(one.tryAcquire()).isEmpty();
        assertThat(second.slot()).hasValue(1);
        CompletableFuture<Lease> waiting = fixture().inThread(one::acquire);
        StoreClient probe = fixture().probe();
        ClientFixture.eventually("it waits", () -> probe.waiters(name).size() == 1);
        second.close();
        try (Lease third = ClientFixture.get(waiting)) {
            assertThat(third.slot()).hasValue(1);
        }
        first.close();
    }

    @Test
    default void anExclusiveLeaseHasNoSlot() throws Exception {
        try (Lease lease = fixture().client().lock(fixture().lock()).acquire()) {
            assertThat(lease.isExclusive()).isTrue();
            assertThat(lease.slot()).isEqualTo(OptionalInt.empty());
        }
    }

    @Test
    default void manyThreadsKeepToThePermits() throws Exception {
        String name = fixture().lock();
        AtomicInteger inside = new AtomicInteger();
        AtomicIntegerArray slots = new AtomicIntegerArray(2);
        List<CompletableFuture<Integer>> workers = new ArrayList<>();
        for (int c = 0; c < 2; c++) {
            DistributedSemaphore semaphore = (c == 0 ? clientWith(2) : fixture().client()).semaphore(name, 2);
            for (int t = 0; t < 3; t++) {
                workers.add(fixture().inThread(() -> {
                    for (int n = 0; n < 8; n++) {
                        semaphore.run(lease -> {
                            int slot = lease.slot().orElseThrow();
                            assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(2);
                            assertThat(slots.incrementAndGet(slot)).isEqualTo(1);
                            Thread.onSpinWait();
                            slots.decrementAndGet(slot);
                            inside.decrementAndGet();
                        });
                    }
                    return 8;
                }));
            }
        }
        for (CompletableFuture<Integer> worker : workers) {
            assertThat(worker.get()).isEqualTo(8);
        }
        StoreClient probe = fixture().probe();
        ClientFixture.eventually("nothing is left", () -> !probe.shows(name));
    }

    @Test
    default void readersHoldTogetherAndWritersAlone() throws Exception {
        String name = fixture().lock();
        DistributedReadWriteLock lock = clientWith(Claim.UNLIMITED).readWriteLock(name);
        DistributedReadWriteLock other = fixture().client().readWriteLock(name);
        assertThat(lock.name()).isEqualTo(name);
        Lease one = lock.read().acquire();
        Lease two = other.read().acquire();
        Lease three = lock.read().acquire();
        assertThat(List.of(one, two, three)).allSatisfy(lease -> {
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.isExclusive()).isFalse();
            assertThat(lease.slot()).isEmpty();
        });
        assertThat(other.write().tryAcquire()).isEmpty();
        assertThat(fixture().client().lock(name).tryAcquire()).isEmpty();
        for (Lease lease : List.of(one, two, three)) {
            lease.close();
        }
        try (Lease written = other.write().acquire()) {
            assertThat(written.isExclusive()).isTrue();
            assertThat(lock.read().tryAcquire()).isEmpty();
            assertThat(other.read().tryAcquire()).isEmpty();
        }
        lock.read().acquire().close();
    }

    @Test
    default void aWriterIsNotStarvedByReaders() throws Exception {
        String name = fixture().lock();
        DistributedReadWriteLock lock = clientWith(Claim.UNLIMITED).readWriteLock(name);
        Lease reader = lock.read().acquire();
        CompletableFuture<Lease> writer = lock.write().acquireAsync();
        StoreClient probe = fixture().probe();
        ClientFixture.eventually("it waits", () -> probe.waiters(name).size() == 1);
        CompletableFuture<Lease> late =
                fixture().client().readWriteLock(name).read().acquireAsync();
        ClientFixture.eventually(
                "the late reader waits", () -> probe.waiters(name).size() == 2);
        assertThat(lock.read().tryAcquire()).isEmpty();
        reader.close();
        Lease written = ClientFixture.get(writer);
        assertThat(late).isNotDone();
        assertThat(written.token()).isGreaterThan(reader.token());
        written.close();
        Lease read = ClientFixture.get(late);
        assertThat(read.token()).isGreaterThan(written.token());
        read.close();
    }

    @Test
    default void aWriterBecomesAReader() throws Exception {
        String name = fixture().lock();
        DistributedReadWriteLock lock = clientWith(Claim.UNLIMITED).readWriteLock(name);
        DistributedReadWriteLock other = fixture().client().readWriteLock(name);
        Lease lease = lock.write().acquire();
        if (!sharing().canDowngrade()) {
            assertThatThrownBy(lease::downgrade)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(sharing().whyNoDowngrade());
            assertThat(lease.isExclusive()).isTrue();
            lease.close();
            return;
        }
        CompletableFuture<Lease> reader = other.read().acquireAsync();
        StoreClient probe = fixture().probe();
        ClientFixture.eventually("it waits", () -> probe.waiters(name).size() == 1);
        long token = lease.token();
        lease.downgrade();
        assertThat(lease.isExclusive()).isFalse();
        assertThat(lease.token()).isEqualTo(token);
        assertThat(lease.isValid()).isTrue();
        lease.downgrade();
        Lease read = ClientFixture.get(reader);
        CompletableFuture<Lease> writer = lock.write().acquireAsync();
        ClientFixture.eventually(
                "the next writer waits", () -> probe.waiters(name).size() == 1);
        assertThat(lock.write().tryAcquire()).isEmpty();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(writer).isNotDone();
        read.close();
        ClientFixture.get(writer).close();
    }

    @Test
    default void onlyAWriterIsDowngraded() throws Exception {
        Leasehold client = clientWith(Claim.UNLIMITED);
        assumeThat(sharing().canDowngrade()).isTrue();
        try (Lease read = client.readWriteLock(fixture().lock()).read().acquire()) {
            read.downgrade();
            assertThat(read.isExclusive()).isFalse();
        }
        var reentrant = client.reentrantLock(fixture().lock());
        reentrant.lock();
        try {
            assertThatThrownBy(() -> reentrant.lease().downgrade()).isInstanceOf(IllegalStateException.class);
            assertThat(reentrant.lease().isExclusive()).isTrue();
        } finally {
            reentrant.unlock();
        }
        if (sharing().includes(2)) {
            try (Lease permit = client.semaphore(fixture().lock(), 2).acquire()) {
                assertThatThrownBy(permit::downgrade).isInstanceOf(IllegalStateException.class);
                assertThat(permit.slot()).hasValue(0);
            }
        }
    }

    @Test
    default void aCancelledReaderLeavesNothing() throws Exception {
        String name = fixture().lock();
        DistributedLock reading =
                clientWith(Claim.UNLIMITED).readWriteLock(name).read();
        StoreClient probe = fixture().probe();
        var theirs = probe.acquire(name).lease();
        CompletableFuture<Lease> one = reading.acquireAsync();
        CompletableFuture<Optional<Lease>> two = reading.tryAcquireAsync(ClientFixture.LONGEST_WAIT);
        ClientFixture.eventually("both wait", () -> probe.waiters(name).size() == 2);
        one.cancel(false);
        two.cancel(false);
        ClientFixture.eventually("none waits", () -> probe.waiters(name).isEmpty());
        probe.release(theirs);
        ClientFixture.eventually("nothing is left", () -> !probe.shows(name));
    }

    @Test
    default void aBrokenPermitIsLostAlone() throws Exception {
        String name = fixture().lock();
        Leasehold client = clientWith(2);
        DistributedSemaphore semaphore = client.semaphore(name, 2);
        Lease one = semaphore.acquire();
        Lease two = client.semaphore(name, 2, ClientFixture.LASTING).acquire();
        assertThat(client.locks(name).get(0).holders()).hasSize(2);
        assertThat(client.breakLock(name, one.token())).isTrue();
        ClientFixture.eventually("it is lost", () -> one.state() == LeaseState.LOST);
        assertThat(two.isValid()).isTrue();
        try (Lease three = semaphore.acquire()) {
            assertThat(three.slot()).hasValue(0);
        }
        two.close();
    }

    @Test
    default void aSemaphoreHasTwoTo1024Permits() {
        Leasehold client = clientWith(2);
        for (int permits : new int[] {Integer.MIN_VALUE, -1, 0, 1, 1025, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> client.semaphore("a", permits)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(client.semaphore("a", 2).permits()).isEqualTo(2);
        assertThat(client.semaphore("a", 1024).permits()).isEqualTo(1024);
    }
}
