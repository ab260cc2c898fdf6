package dev.leasehold.jdbc.sqlite;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the store's thread: one per client, in order, gone after close. */
@Tag("slow")
class SqliteThreadTest {

    @AutoClose
    private final RealTime time = new RealTime();

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("locks.db");
    }

    @Test
    void openingTouchesNeitherFileNorThreads() {
        try (TestClient client = client()) {
            assertThat(directory).isEmptyDirectory();
            assertThat(threads(client)).isEmpty();
        }
    }

    @Test
    void thereIsOneDaemonThreadAndNoneAfterClose() {
        TestClient client = client();
        client.acquire("a");
        assertThat(threads(client)).hasSize(1).allMatch(Thread::isDaemon);
        List<Thread> before = threads(client);
        client.close();
        client.close();
        assertThat(before).noneMatch(Thread::isAlive);
    }

    @Test
    void afterCloseEverythingFails() {
        TestClient client = client();
        client.close();
        assertThatThrownBy(() -> client.acquire("a"))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closingFailsWhatIsUnderWay() throws SQLException {
        TestClient client = client();
        client.release(client.acquire("a"));
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            List<CompletableFuture<ClaimAnswer>> pending = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                pending.add(client.store.claim(client.newClaim("a")).toCompletableFuture());
            }
            client.close();
            for (CompletableFuture<ClaimAnswer> answer : pending) {
                assertThatThrownBy(() -> TestClient.get(answer))
                        .isInstanceOfSatisfying(
                                StoreUnavailableException.class,
                                e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT));
            }
            statement.execute("COMMIT");
        }
    }

    /** A request that was given up while it waited for its turn is not carried out later. */
    @Test
    void aRequestThatWasGivenUpIsNotCarriedOut() throws SQLException {
        try (TestClient client = new TestClient(file, new SettableClock(), "", Duration.ofSeconds(2));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            client.release(client.acquire("a"));
            Statement statement = other.createStatement();
            statement.execute("BEGIN IMMEDIATE");
            List<CompletableFuture<ClaimAnswer>> pending = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                pending.add(client.store.claim(client.newClaim("lock-" + i)).toCompletableFuture());
            }
            for (CompletableFuture<ClaimAnswer> answer : pending) {
                assertThatThrownBy(() -> TestClient.get(answer))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("another process keeps the store");
            }
            statement.execute("COMMIT");
            assertThat(client.inspect("*")).isEmpty();
        }
    }

    /** The client's own timer was as early as the store's, and a caller that it failed was not told who keeps the file. */
    @Test
    void aRequestIsGivenUpBeforeItsCaller() throws SQLException {
        VirtualTime clock = new VirtualTime();
        StoreContext context = new StoreContext("client", "owner", "", clock, Duration.ofSeconds(5), new NoSignals());
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            SqliteStore store = new SqliteFactory(file).open(context, new SettableClock());
            Claim claim = new Claim(new ClaimId("client", 1), "a", Duration.ofSeconds(30), 0, true);
            CompletableFuture<ClaimAnswer> answer = store.claim(claim).toCompletableFuture();
            clock.advance(Duration.ofMillis(4_900));
            assertThat(answer).isCompletedExceptionally();
            store.close();
        }
    }

    /** Nor is one that was given up in the middle of its transaction, however late it goes on. */
    @Test
    void aRequestThatWasGivenUpBeforeItsCommitIsRolledBack() throws InterruptedException {
        try (TestClient client = client()) {
            client.release(client.acquire("a"));
            StoreContext context = new StoreContext("slow", "", "", time, Duration.ofMinutes(2), client);
            SqliteThread thread = new SqliteThread(new StoreFile(file), context, new SettableClock());
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            Claim claim = new Claim(new ClaimId("slow", 1), "a", TestClient.LEASE, 0, true);
            StoreOperation.Work<ClaimAnswer> work = (protocol, now) -> {
                ClaimAnswer answer = protocol.claim(claim, now);
                inside.countDown();
                awaitQuietly(goOn);
                return answer;
            };
            StoreOperation<ClaimAnswer> operation = new StoreOperation<>(work, answer -> {}, true);
            thread.submit(operation);
            assertThat(inside.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
            operation.fail(outcome -> new IllegalStateException("given up: " + outcome));
            goOn.countDown();
            thread.close();
            assertThatThrownBy(() -> TestClient.get(operation.answer())).hasMessage("given up: NOT_CARRIED_OUT");
            assertThat(client.inspect("*")).isEmpty();
        }
    }

    @Test
    void requestsAreCarriedOutInTheirOrder() {
        try (TestClient client = client()) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            AtomicInteger answered = new AtomicInteger();
            for (int i = 0; i < 500; i++) {
                int number = i;
                Claim claim = client.newClaim("a");
                all.add(client.store
                        .claim(claim)
                        .thenAccept(answer -> {
                            assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
                            assertThat(answered.getAndIncrement()).isEqualTo(number);
                        })
                        .toCompletableFuture());
                all.add(client.store.withdraw("a", claim.id()).toCompletableFuture());
            }
            all.forEach(TestClient::get);
        }
    }

    @Test
    void aContinuationThatFailsHarmsNobody() {
        try (TestClient client = client()) {
            CompletableFuture<?> failed = client.store
                    .claim(client.newClaim("a"))
                    .<Object>thenApply(answer -> {
                        throw new IllegalStateException("the caller's");
                    })
                    .toCompletableFuture();
            assertThatThrownBy(() -> TestClient.get(failed)).hasMessageContaining("the caller's");
            client.acquire("b");
        }
    }

    @Test
    void clientsOfOneProcessHearOfEachOtherAtOnce() throws InterruptedException {
        try (TestClient ann = client();
                TestClient bob = client()) {
            LeaseId held = ann.acquire("a");
            Claim waiting = bob.newClaim("a");
            bob.busy(waiting);
            ann.release(held);
            TestClient.Grant grant = bob.nextGrant();
            assertThat(grant.lease().claim()).isEqualTo(waiting.id());
            assertThat(grant.validity().isOver(System.nanoTime())).isFalse();
        }
    }

    @Test
    void aClientThatNeitherHoldsNorWaitsSleeps() {
        try (TestClient client = client()) {
            client.release(client.acquire("a"));
            Thread thread = threads(client).get(0);
            await().until(() -> thread.getState() == Thread.State.WAITING);
            LeaseId held = client.acquire("a");
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            client.release(held);
            await().until(() -> thread.getState() == Thread.State.WAITING);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private TestClient client() {
        return new TestClient(file, new SettableClock());
    }

    private static List<Thread> threads(TestClient client) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("leasehold-sqlite-" + client.id.substring(0, 8)))
                .toList();
    }
}
