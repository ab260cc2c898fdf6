package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about statements on the threads of those who wait for them, on a real PostgreSQL: when, when not, and what
 * it must not cost.
 */
@Tag("slow")
class CallerRunsTest {

    private static final int CYCLES = 100;

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();
    /** The names of the threads that have run statements. */
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();

    /** How long each thread waits for an answer, in milliseconds, since {@link #threads} was cleared. */
    private final Map<String, Integer> limits = new ConcurrentHashMap<>();

    private final AtomicInteger mostRunning = new AtomicInteger();
    private FaultProxy proxy;
    private HikariDataSource pool;

    @BeforeEach
    void openPool() {
        proxy = FaultProxy.to(POSTGRES.get().port());
        HikariConfig config = new HikariConfig();
        String url = POSTGRES.get().url().replace(":" + POSTGRES.get().port(), ":" + proxy.port());
        config.setDataSource(proxied(DataSource.class, (method, arguments) -> {
            return switch (method) {
                case "getConnection" -> noting(DriverManager.getConnection(url));
                case "getLoginTimeout" -> 0;
                default -> null;
            };
        }));
        config.setMaximumPoolSize(10);
        config.setConnectionTimeout(20_000);
        pool = new HikariDataSource(config);
    }

    @AfterEach
    void closePool() {
        pool.close();
        proxy.close();
    }

    private interface Call {
        Object on(String method, Object[] arguments) throws Exception;
    }

    private static <T> T proxied(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call.on(method.getName(), arguments)));
    }

    /** A connection that says who prepares statements, and how many connections do so at a time. */
    private Connection noting(Connection real) {
        AtomicInteger limit = new AtomicInteger();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("setNetworkTimeout")) {
                        limit.set((Integer) arguments[1]);
                    }
                    if (method.getName().equals("prepareStatement")) {
                        limits.put(Thread.currentThread().getName(), limit.get());
                        threads.add(Thread.currentThread().getName());
                        mostRunning.accumulateAndGet(
                                pool.getHikariPoolMXBean() == null
                                        ? 0
                                        : pool.getHikariPoolMXBean().getActiveConnections(),
                                Math::max);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Leasehold client(DataSource from) {
        return Leasehold.builder()
                .store(JdbcStore.using(from).withListen(false).withConnections(3))
                .build();
    }

    /** Returns whether this thread ran both statements of a cycle. A busy machine may be too slow now and then. */
    private boolean cycleIsOurs(DistributedLock lock) {
        threads.clear();
        try {
            lock.acquire().close();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        String self = Thread.currentThread().getName();
        return threads.size() == 2 && threads.stream().allMatch(self::equals);
    }

    private void untilCallerRuns(DistributedLock lock) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> cycleIsOurs(lock));
    }

    @Test
    @DisplayName("An uncontended lock is taken and released by the caller's own thread")
    void anUncontendedLockNeedsTheCallersThreadOnly() {
        try (Leasehold client = client(pool)) {
            untilCallerRuns(client.lock(name));
        }
    }

    @Test
    void theSameWithAPoolOfOurOwn() throws Exception {
        try (Leasehold client = Leasehold.connect(POSTGRES.get().url())) {
            DistributedLock lock = client.lock(name);
            for (int i = 0; i < CYCLES; i++) {
                lock.acquire().close();
            }
            assertThat(client.locks(name)).isEmpty();
        }
    }

    /** For example Spring's, which hand out the connection of the thread's transaction. */
    @Test
    void noOtherDataSourceIsEverAskedOnTheCallersThread() throws Exception {
        DataSource other = proxied(DataSource.class, (method, arguments) -> pool.getConnection());
        try (Leasehold client = client(other)) {
            DistributedLock lock = client.lock(name);
            for (int i = 0; i < CYCLES; i++) {
                lock.acquire().close();
            }
            assertThat(threads).isNotEmpty().allMatch(thread -> thread.startsWith("leasehold-jdbc-"));
        }
    }

    @Test
    void noVirtualThreadRunsStatements() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Leasehold client = client(pool)) {
            DistributedLock lock = client.lock(name);
            Runnable cycles = () -> {
                try {
                    for (int i = 0; i < CYCLES; i++) {
                        lock.acquire().close();
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            };
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Thread thread = (Thread) builder.getMethod("start", Runnable.class).invoke(virtual, cycles);
            thread.join();
            assertThat(failure).hasValue(null);
            assertThat(threads).isNotEmpty().allMatch(worker -> worker.startsWith("leasehold-jdbc-"));
        }
    }

    @Test
    void asynchronousRequestsNeverUseTheCallersThread() throws Exception {
        try (Leasehold client = client(pool)) {
            DistributedLock lock = client.lock(name);
            for (int i = 0; i < CYCLES; i++) {
                lock.acquireAsync()
                        .get(A_MINUTE, TimeUnit.SECONDS)
                        .releaseAsync()
                        .get(A_MINUTE, TimeUnit.SECONDS);
            }
            assertThat(threads).isNotEmpty().allMatch(thread -> thread.startsWith("leasehold-jdbc-"));
        }
    }

    @Test
    void fiftyThreadsUseNoMoreConnectionsThanAllowed() throws Exception {
        try (Leasehold client = client(pool)) {
            untilCallerRuns(client.lock(name));
            mostRunning.set(0);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                DistributedLock lock = client.lock(name + i);
                CompletableFuture<Void> done = new CompletableFuture<>();
                all.add(done);
                callers.add(new Thread(() -> {
                    try {
                        for (int j = 0; j < 10; j++) {
                            lock.acquire().close();
                        }
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                }));
            }
            callers.forEach(Thread::start);
            for (CompletableFuture<Void> one : all) {
                one.get(A_MINUTE, TimeUnit.SECONDS);
            }
            assertThat(mostRunning.get()).isBetween(1, 3);
        }
    }

    @Test
    @DisplayName("an interrupt is noticed while the database hangs, and others of the same claim still get the lock")
    void anInterruptIsNoticedWhileTheDatabaseHangs() throws Exception {
        try (Leasehold client = client(pool)) {
            DistributedLock lock = client.lock(name);
            boolean ran = false;
            for (int i = 0; !ran; i++) { // On a busy machine a worker may have to, now and then.
                ran = interruptInAHang(lock, "caller " + i);
            }
        }
    }

    /** Returns whether the caller's thread carried its request out. */
    private boolean interruptInAHang(DistributedLock lock, String thread) throws Exception {
        CompletableFuture<Throwable> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(
                () -> {
                    untilCallerRuns(lock);
                    proxy.hold(FaultProxy.Way.ANSWERS);
                    threads.clear();
                    try {
                        lock.acquire().close();
                        interrupted.complete(new AssertionError("acquired"));
                    } catch (Throwable e) {
                        interrupted.complete(e);
                    }
                },
                thread);
        caller.start();
        await().until(() -> proxy.holding() > 0 && !threads.isEmpty());
        boolean ran = threads.contains(thread);
        CompletableFuture<Lease> other = lock.acquireAsync();
        caller.interrupt();
        assertThat(interrupted.get(A_MINUTE, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        proxy.letGo();
        try (Lease lease = other.get(A_MINUTE, TimeUnit.SECONDS)) {
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(limits.getOrDefault(thread, 0))
                .as("a worker waits for five seconds")
                .isLessThanOrEqualTo(300);
        return ran;
    }

    @Test
    @DisplayName("Closing a lease takes its second at most while the database hangs")
    void closingALeaseTakesASecondAtMostInAHang() throws Exception {
        try (Leasehold client = client(pool)) {
            DistributedLock lock = client.lock(name);
            String self = Thread.currentThread().getName();
            do { // On a busy machine a worker may have to, now and then.
                untilCallerRuns(lock);
                Lease lease = lock.acquire();
                proxy.hold(FaultProxy.Way.ANSWERS);
                threads.clear();
                lease.close();
                assertThat(proxy.holding()).as("answers that have not come").isPositive();
                proxy.letGo();
                await().until(() -> client.locks(name).isEmpty());
            } while (!threads.contains(self));
            assertThat(limits.get(self)).as("a worker waits for five seconds").isBetween(1, 300);
        }
    }

    @Test
    void aSlowDatabaseIsLeftToTheWorkers() throws Exception {
        try (Leasehold client = client(pool)) {
            DistributedLock lock = client.lock(name);
            untilCallerRuns(lock);
            proxy.delay(Duration.ofMillis(60)); // Each way.
            long slowest = System.nanoTime();
            lock.acquire().close();
            proxy.delay(Duration.ZERO);
            threads.clear();
            for (int i = 0; i < 20; i++) {
                lock.acquire().close();
                if (System.nanoTime() - slowest > TimeUnit.SECONDS.toNanos(5)) {
                    break; // The workers' time may be over.
                }
                assertThat(threads).isNotEmpty().allMatch(thread -> thread.startsWith("leasehold-jdbc-"));
            }
        }
    }

    @Test
    void theTimeToWaitIncludesWhatTheCallersThreadTook() throws Exception {
        try (Leasehold client = client(pool);
                Leasehold elsewhere = Leasehold.connect(POSTGRES.get().url())) {
            untilCallerRuns(client.lock(name));
            try (Lease held = elsewhere.lock(name).acquire()) {
                assertThat(client.lock(name).tryAcquire(Duration.ofMillis(50))).isEmpty();
                assertThat(held.isValid()).isTrue();
            }
        }
    }
}
