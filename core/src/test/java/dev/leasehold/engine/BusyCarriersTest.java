package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.lang.Thread.State.BLOCKED;
import static java.lang.Thread.State.TIMED_WAITING;
import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.threads.Mailbox;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Virtual threads that never let their carriers go, as pinned ones do, keep no lease from its renewals and no holder from the
 * news of its loss: the client's threads are the platform's, and wait for nothing that a virtual thread without a carrier has.
 */
class BusyCarriersTest {

    private static final int ROUNDS = 10;

    private volatile CountDownLatch busy = new CountDownLatch(0);
    private volatile AtomicBoolean done = new AtomicBoolean(true);
    private volatile boolean over;
    private final AtomicInteger renewals = new AtomicInteger();
    private final WrappedStore store = new WrappedStore() {
        @Override
        CompletionStage<RenewAnswer> renew(Store inner, LeaseId lease, Duration duration) {
            if (lease.lock().startsWith("silent")) {
                return new CompletableFuture<>();
            }
            if (lease.lock().equals("slow")) {
                inTheStore.countDown();
                waitFor(goOn);
            }
            if (!lease.lock().startsWith("contested")) {
                renewals.incrementAndGet();
            }
            return super.renew(inner, lease, duration);
        }
    };
    private final CountDownLatch inTheStore = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final ExecutorService platform = Executors.newCachedThreadPool();
    private final Leasehold client = Leasehold.builder()
            .store(store)
            .storeTimeout(Duration.ofMinutes(10))
            .options(lasting(10))
            .build();
    private ExecutorService virtual;

    @BeforeEach
    void haveVirtualThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        virtual = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    @AfterEach
    void letCarriersGo() {
        done.set(true);
        over = true;
        goOn.countDown();
        client.close();
        platform.shutdownNow();
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void occupyAllCarriers() throws Exception {
        int carriers = Runtime.getRuntime().availableProcessors();
        busy = new CountDownLatch(carriers);
        done = new AtomicBoolean();
        for (int i = 0; i < carriers; i++) {
            virtual.execute(this::keepTheCarrier);
        }
        assertThat(busy.await(A_MINUTE, TimeUnit.SECONDS))
                .as("each has a carrier")
                .isTrue();
    }

    private void keepTheCarrier() {
        AtomicBoolean enough = done;
        busy.countDown();
        while (!enough.get()) {
            Thread.onSpinWait();
        }
    }

    private static LockOptions lasting(int seconds) {
        return LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(seconds));
    }

    private <T> T onPlatformThread(Callable<T> call) throws Exception {
        return platform.submit(call).get(A_MINUTE, TimeUnit.SECONDS);
    }

    /** Waits until timers have renewed some more leases. */
    private void renewalsGoOn() {
        int before = renewals.get();
        await().until(() -> renewals.get() > before + 2);
    }

    /** Looks at a lease without renewals past its deadline, on a platform thread. */
    private void itsEndIsSeen(Lease lease) throws Exception {
        assertThat(onPlatformThread(() -> {
                    while (lease.isValid()) {
                        lease.remaining();
                    }
                    return lease.state();
                }))
                .isEqualTo(LeaseState.LOST);
        assertThat(onPlatformThread(lease::remaining)).isEqualTo(Duration.ZERO);
        assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                .isEqualTo(LeaseState.LOST);
    }

    @Test
    void aLossIsToldThoughAllCarriersAreBusy() throws Exception {
        Lease lease = client.lock("silent", lasting(1)).acquire();
        CompletableFuture<LeaseState> told = new CompletableFuture<>();
        lease.addListener((changed, state) -> {
            if (state.isFinal()) {
                told.complete(state);
            }
        });
        occupyAllCarriers();
        assertThat(told.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(LeaseState.LOST);
        assertThat(lease.isValid()).isFalse();
    }

    /** Virtual threads acquire, wait, look and release, and lose their carriers wherever they are, ten times. */
    @Test
    void noVirtualThreadInsideHoldsUpOthers() throws Exception {
        LockOptions unattended = lasting(1).withAutoRenew(false).withLeaseDuration(Duration.ofMillis(200));
        List<CompletableFuture<Void>> inside = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            DistributedLock lock = client.lock("contested" + i % 8);
            inside.add(CompletableFuture.runAsync(() -> useUntilOver(lock), virtual));
        }
        List<Lease> held = new ArrayList<>();
        while (renewals.get() < 10) { // From then on each moment has one.
            held.add(client.lock("held" + held.size()).acquire());
            TimeUnit.MILLISECONDS.sleep(20);
        }
        for (int round = 0; round < ROUNDS; round++) {
            Lease brief = onPlatformThread(client.lock("brief" + round, unattended)::acquire);
            occupyAllCarriers();
            itsEndIsSeen(brief);
            renewalsGoOn();
            onPlatformThread(client.lock("free")::acquire).close();
            done.set(true);
        }
        over = true;
        for (CompletableFuture<Void> each : inside) {
            each.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(held).allMatch(Lease::isValid);
    }

    private void useUntilOver(DistributedLock lock) {
        try {
            while (!over) {
                try (Lease lease = lock.acquire()) {
                    assertThat(lease.state()).isNotEqualTo(LeaseState.RELEASED);
                    lease.extend(Duration.ofSeconds(10));
                    lease.remaining();
                }
                keepTheCarrier();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The virtual thread is in the middle of an event of this very lease when it has no carrier any more. */
    @Test
    void norOneThatIsInTheStoreForTheSameLease() throws Exception {
        Lease other = client.lock("a").acquire();
        Lease lease = client.lock("slow", lasting(1).withAutoRenew(false)).acquire();
        virtual.execute(() -> {
            try {
                lease.extend(Duration.ofSeconds(1));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waitFor(inTheStore);
        occupyAllCarriers();
        goOn.countDown();
        while (onPlatformThread(lease::isValid)) {
            onPlatformThread(lease::remaining);
        }
        assertThat(onPlatformThread(lease::state)).isEqualTo(LeaseState.LOST);
        await().until(() -> renewals.get() > 0);
        assertThat(other.isValid()).isTrue();
    }

    /** A ReentrantLock that is free is offered to the next in line alone, and waits for that one to run. */
    @Test
    void norOneThatIsNextInLineForAMailbox() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        Mailbox<String> mailbox = new Mailbox<>(
                new Mailbox.Consumer<>() {
                    @Override
                    public void handle(String event) {}

                    @Override
                    public boolean isIdle() { // Asked inside the guard.
                        closing.countDown();
                        waitFor(goOn);
                        return false;
                    }

                    @Override
                    public void closed() {}

                    @Override
                    public void failed(Queue<String> left) {}
                },
                platform);
        platform.execute(() -> mailbox.post("first"));
        waitFor(closing);
        standsInLine(virtual, mailbox);
        occupyAllCarriers();
        Future<?> ours = standsInLine(platform, mailbox);
        goOn.countDown();
        ours.get(A_MINUTE, TimeUnit.SECONDS);
    }

    private static Future<?> standsInLine(ExecutorService executor, Mailbox<String> mailbox) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<?> posted = executor.submit(() -> {
            thread.set(Thread.currentThread());
            mailbox.post("next");
        });
        await().until(() -> thread.get() != null
                && Set.of(BLOCKED, WAITING, TIMED_WAITING).contains(thread.get().getState()));
        return posted;
    }
}
