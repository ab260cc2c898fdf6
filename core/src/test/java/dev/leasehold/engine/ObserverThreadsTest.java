package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseSet;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import dev.leasehold.spi.StoreFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show on which threads observers are called, and that the engine waits for none of them. */
class ObserverThreadsTest {

    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));

    @Test
    void callersAreToldOnTheirOwnThreads() throws Exception {
        AtomicReference<Thread> acquiredOn = new AtomicReference<>();
        AtomicReference<Thread> releasedOn = new AtomicReference<>();
        LeaseholdObserver observer = new LeaseholdObserver() {
            @Override
            public void acquired(LockCall call, LockGrant grant) {
                acquiredOn.set(Thread.currentThread());
            }

            @Override
            public void released(LockCall call, LockGrant grant, Duration held) {
                releasedOn.set(Thread.currentThread());
            }
        };
        try (Leasehold leasehold =
                Leasehold.builder().store(new WrappedStore()).observer(observer).build()) {
            leasehold.lock("a").acquire().close();
        }
        assertThat(acquiredOn).hasValue(Thread.currentThread());
        assertThat(releasedOn).hasValue(Thread.currentThread());
    }

    @Test
    @DisplayName("With an observer that blocks at each renewal, leases are still renewed, and locks acquired")
    void anObserverThatBlocksKeepsNoLeaseFromBeingRenewed() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        LeaseholdObserver blocking = new LeaseholdObserver() {
            @Override
            public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
                blocked.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        WrappedStore store = new WrappedStore();
        try (Leasehold leasehold = Leasehold.builder()
                .store(store)
                .observer(blocking)
                .options(BRIEF)
                .build()) {
            Lease lease = leasehold.lock("a").acquire();
            blocked.await();
            int before = store.operations.get();
            await().until(() -> store.operations.get() >= before + 1);
            assertThat(lease.isValid()).isTrue();
            leasehold.lock("b").acquire().close();
            lease.close();
            goOn.countDown();
        }
    }

    // ---- an observer that blocks in each of its methods, unless it is called on a thread that asks
    // --------------------

    private final ThreadLocal<Boolean> asks = ThreadLocal.withInitial(() -> false);
    private final Set<String> blocked = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);
    private final AutoCloseable blocking = released::countDown;

    private Leasehold client(WrappedStore store) {
        return Leasehold.builder()
                .store(store)
                .observer((LeaseholdObserver) Proxy.newProxyInstance(
                        LeaseholdObserver.class.getClassLoader(),
                        new Class<?>[] {LeaseholdObserver.class},
                        this::block))
                .options(BRIEF)
                .build();
    }

    private @Nullable Object block(Object proxy, Method method, Object... arguments) throws InterruptedException {
        if (!asks.get()) {
            blocked.add(method.getName());
            released.await();
        }
        return method.getName().equals("asked") ? proxy : null;
    }

    private <T> T asking(Callable<T> call) throws Exception {
        asks.set(true);
        try {
            return call.call();
        } finally {
            asks.set(false);
        }
    }

    /** Shows that a lease goes on to be renewed. */
    private static void assertRenewed(WrappedStore store, Lease lease) {
        int before = store.operations.get();
        await().until(() -> store.operations.get() >= before + 5);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("With an observer that always blocks, locks are still acquired and renewed")
    void locksDoNotWaitForObservers() throws Exception {
        WrappedStore store = new WrappedStore();
        try (Leasehold leasehold = client(store);
                blocking) {
            Lease lease = asking(() -> leasehold.lock("a").acquire());
            CompletableFuture<Lease> waits = asking(() -> leasehold.lock("a").acquireAsync());
            CompletableFuture<Lease> fails = asking(() -> leasehold.lock("a").acquireAsync());
            fails.cancel(false);
            await().until(() -> blocked.containsAll(Set.of("renewed", "withdrawn")));
            assertRenewed(store, lease);
            asking(lease::release);
            await().until(() -> blocked.contains("acquired"));
            blocking.close();
            waits.get(A_MINUTE, SECONDS).close();
        }
    }

    @Test
    @DisplayName("With an observer that always blocks, sets are still acquired, and others not kept from their locks")
    void setsDoNotWaitForObservers() throws Exception {
        StoreFactory store = WrappedStore.memory();
        try (Leasehold other = Leasehold.builder().store(store).build();
                Leasehold leasehold = client(new WrappedStore(store));
                blocking) {
            Lease first = other.lock("a").acquire();
            Lease second = other.lock("b").acquire();
            CompletableFuture<LeaseSet> set =
                    asking(() -> leasehold.lockAll("a", "b").acquireAsync());
            // It is the other client's release that would wait.
            first.releaseAsync().get(A_MINUTE, SECONDS);
            second.releaseAsync().get(A_MINUTE, SECONDS);
            await().until(() -> blocked.contains("asked"));
            blocking.close();
            set.get(A_MINUTE, SECONDS).close();
        }
    }

    @Test
    @DisplayName(
            "With an observer that always blocks, a candidate still resigns and stands again, and leases are renewed")
    void electionsDoNotWaitForObservers() throws Exception {
        WrappedStore store = new WrappedStore();
        try (Leasehold leasehold = client(store);
                LeaderElection election = leasehold.election("office");
                blocking) {
            Lease lease = asking(() -> leasehold.lock("a").acquire());
            asking(() -> {
                election.start();
                return null;
            });
            await().until(election::isLeader);
            long term = election.lease().orElseThrow().token();
            election.resign();
            await().until(() ->
                    election.lease().filter(next -> next.token() > term).isPresent());
            assertRenewed(store, lease);
            assertThat(blocked).contains("asked");
            blocking.close();
            lease.close();
        }
    }
}
