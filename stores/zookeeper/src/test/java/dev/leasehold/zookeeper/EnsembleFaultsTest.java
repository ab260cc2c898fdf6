package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about servers of an ensemble that are killed, stopped, or cut off from each other. */
@Tag("slow")
class EnsembleFaultsTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(20));

    private static EnsembleProcesses ensemble;

    private final String name = "lock-" + UUID.randomUUID();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new EnsembleProcesses();
    }

    @AfterAll
    static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Leasehold client(String servers, int sessionMillis) {
        Leasehold client = Leasehold.builder()
                .store(Zoo.store(servers, sessionMillis))
                .options(OPTIONS)
                .build();
        opened.add(client);
        return client;
    }

    private static String only(int server) {
        return "127.0.0.1:" + ensemble.clientPort(server);
    }

    /**
     * The follower answers the holder's pings and reads for twenty seconds, while the leader, which has not heard of the
     * session, ends it after eight and lets the next one in. Only what needs the leader tells the holder.
     */
    @Test
    void aFollowerThatIsCutOffFromItsLeaderDeceivesNobody() throws Exception {
        int follower = ensemble.aFollower();
        int leader = ensemble.leader();
        Lease held = client(only(follower), 8_000).lock(name).acquire();
        CompletableFuture<Lease> waiting =
                client(only(leader), 8_000).lock(name).acquireAsync();
        Leasehold looking = client(only(leader), 20_000);
        await().until(() -> looking.locks(name).get(0).waiters().size() == 1);
        CompletableFuture<Long> told = held.ended().toCompletableFuture().thenApply(state -> System.nanoTime());
        CompletableFuture<Boolean> validAtHandOver = waiting.thenApply(lease -> held.isValid());
        CompletableFuture<Long> letIn = waiting.thenApply(lease -> System.nanoTime());
        ZooKeeper reader = new ZooKeeper(only(follower), 60_000, event -> {});
        try {
            // Both have confirmed their sessions by a node of their own before.
            await().until(() ->
                    reader.getChildren("/it/leasehold/clients", false).size() >= 2);
            ensemble.cutOff(follower);
            assertThat(validAtHandOver.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
            assertThat(letIn.get() - told.get(A_MINUTE, TimeUnit.SECONDS)).isPositive();
            // The follower does not know it yet: it still shows the holder's node to clients that only read.
            assertThat(reader.getChildren(OneServer.LOCKS + name, false)).hasSize(2);
        } finally {
            ensemble.reconnect(follower);
            reader.close();
        }
        assertThat(held.ended().toCompletableFuture().get()).isEqualTo(LeaseState.LOST);
        assertThat(waiting.get().token()).isGreaterThan(held.token());
    }

    /**
     * The follower goes on answering the idle client's reads, and passes its claim on, but hears nothing of the leader, which
     * hears nothing of the session therefore: it makes the node, ends the session, and lets the next one in. When the
     * follower hears of all that, it first tells the client that its node was made.
     */
    @Test
    @DisplayName("a claim that was answered by a leader that has since ended the session is not granted")
    void claim_sessionEndedByLeader_isNotGranted() throws Exception {
        int follower = ensemble.aFollower();
        int leader = ensemble.leader();
        Duration session = Duration.ofSeconds(10);
        Leasehold looking = client(only(leader), 20_000);
        try (TestTime time = new TestTime()) {
            Store store = Zoo.store(only(follower), session.toMillis())
                    .open(new StoreContext("a", "a", "", time, Duration.ofSeconds(30), new NoSignals()));
            opened.add(store);
            for (int i = 1; i <= 3; i++) {
                ClaimAnswer.Granted granted = (ClaimAnswer.Granted) get(store.claim(claim(i)));
                get(store.release(granted.lease(), Duration.ZERO));
            }
            pause(session.plusSeconds(1));
            ensemble.deafen(follower);
            CompletableFuture<ClaimAnswer> claiming;
            CompletableFuture<Lease> next;
            try {
                pause(session.multipliedBy(3).dividedBy(5));
                claiming = store.claim(claim(4)).toCompletableFuture();
                await().until(() -> !looking.locks(name).isEmpty());
                next = client(only(leader), 20_000).lock(name).acquireAsync();
                next.get(A_MINUTE, TimeUnit.SECONDS);
                assertThat(claiming).isNotDone();
            } finally {
                ensemble.reconnect(follower);
            }
            assertThat(get(claiming)).isInstanceOf(ClaimAnswer.Busy.class);
            assertThat(next.get().isValid()).isTrue();
        }
    }

    private Claim claim(int number) {
        return new Claim(new ClaimId("a", number), name, Duration.ofMinutes(1), 0, true);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    private static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        await().until(() -> System.nanoTime() - end >= 0);
    }

    @Test
    void theLeaderIsKilledUnderLoadAndServiceResumes() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        AtomicLong holds = new AtomicLong();
        AtomicLong lastToken = new AtomicLong();
        AtomicBoolean disorder = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Leasehold client = client(ensemble.servers(), 6_000);
            workers.add(CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    try (Lease lease = client.lock(name).acquire()) {
                        if (inside.incrementAndGet() > 1 && lease.isValid()) {
                            together.incrementAndGet();
                        }
                        if (lastToken.getAndSet(lease.token()) >= lease.token()) {
                            disorder.set(true);
                        }
                        inside.decrementAndGet();
                        holds.incrementAndGet();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    } catch (LockException e) {
                        // It says that the lock was not acquired. Another try.
                    }
                }
            }));
        }
        await().until(() -> holds.get() > 20);
        int leader = ensemble.leader();
        ensemble.kill(leader);
        long before = holds.get();
        await().until(() -> holds.get() > before + 50);
        ensemble.restart(leader);
        over.set(true);
        for (CompletableFuture<Void> worker : workers) {
            worker.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(together.get()).isZero();
        assertThat(disorder).isFalse();
    }

    @Test
    void theLeaderIsStoppedAndTheHolderIsToldInTime() throws Exception {
        int leader = ensemble.leader();
        Lease held = client(only(leader), 3_000).lock(name).acquire();
        CompletableFuture<Lease> waiting =
                client(ensemble.servers(), 3_000).lock(name).acquireAsync();
        CompletableFuture<Boolean> validAtHandOver = waiting.thenApply(lease -> held.isValid());
        CompletableFuture<Long> letIn = waiting.thenApply(lease -> System.nanoTime());
        CompletableFuture<Long> told = held.ended().toCompletableFuture().thenApply(state -> System.nanoTime());
        ensemble.signal(leader, "STOP");
        try {
            assertThat(held.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
        } finally {
            ensemble.signal(leader, "CONT");
        }
        assertThat(validAtHandOver.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
        // Not only when the ensemble has a new leader, which it chooses when the others have missed theirs for long.
        assertThat(letIn.get() - told.get()).isPositive();
    }

    @Test
    @DisplayName("A holder whose server is killed moves to another and keeps its lock")
    void aHolderOfAKilledServerKeepsItsLock() throws Exception {
        // The others may have to elect a leader, which took longer than ten seconds on a busy machine.
        Duration lease = Duration.ofSeconds(60);
        Leasehold client = Leasehold.builder()
                .store(Zoo.store(ensemble.servers(), 60_000))
                .options(OPTIONS.withLeaseDuration(lease))
                .storeTimeout(Duration.ofSeconds(40))
                .build();
        opened.add(client);
        Lease held = client.lock(name).acquire();
        int server = ensemble.serverOf(owner());
        ensemble.kill(server);
        try {
            held.extend(lease);
            assertThat(held.isValid()).isTrue();
        } finally {
            ensemble.restart(server);
        }
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void withoutAMajorityNobodyGetsTheLock() throws Exception {
        Leasehold client = Leasehold.builder()
                .store(Zoo.store(ensemble.servers(), 6_000))
                .options(OPTIONS)
                .storeTimeout(Duration.ofSeconds(3))
                .build();
        opened.add(client);
        await().ignoreExceptionsInstanceOf(LockException.class)
                .until(() -> client.lock("warm-" + name).tryAcquire().isPresent());
        int leader = ensemble.leader();
        int follower = ensemble.aFollower();
        ensemble.kill(leader);
        ensemble.kill(follower);
        try {
            assertThatThrownBy(() -> client.lock(name).tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining(name);
        } finally {
            ensemble.restart(leader);
            ensemble.restart(follower);
        }
        await().ignoreExceptionsInstanceOf(LockException.class)
                .until(() -> client.lock(name).tryAcquire().isPresent());
    }

    private long owner() throws Exception {
        ZooKeeper reader = new ZooKeeper(ensemble.servers(), 60_000, event -> {});
        try {
            String lock = OneServer.LOCKS + name;
            reader.sync(lock, (rc, path, ctx) -> {}, null);
            String node = reader.getChildren(lock, false).get(0);
            return reader.exists(lock + '/' + node, false).getEphemeralOwner();
        } finally {
            reader.close();
        }
    }
}
