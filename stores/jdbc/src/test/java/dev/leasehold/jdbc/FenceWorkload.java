package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The lock-set workload with a table as the resource: a set in a row, read, changed and written under the lock, by clients that
 * are stopped in between for longer than their leases. What was committed must not disappear.
 */
abstract class FenceWorkload {

    private static final int CLIENTS = 4;
    private static final Duration LEASE = Duration.ofMillis(150);
    private static final JdbcFence FENCE = JdbcFence.standard();

    private enum Guarding {
        NOT,
        AT_WRITES,
        BEFORE_THE_FIRST_READ
    }

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger elements = new AtomicInteger();
    private final List<Leasehold> clients = new ArrayList<>();

    /** Returns the URL of the database with the set. */
    abstract String url();

    /** Returns the store with the lock. */
    abstract String store();

    @BeforeEach
    void start() throws SQLException {
        FENCE.createTable(new DataSourceOf(url()));
        try (Connection connection = DriverManager.getConnection(url());
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS elements");
            statement.execute("CREATE TABLE elements (all_of_them text)");
            statement.execute("INSERT INTO elements VALUES ('')");
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Leasehold.connect(store()));
        }
    }

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
    }

    @Test
    void unguardedItLosesUpdates() throws Exception {
        writeLate(Guarding.NOT);
        assertThat(lost()).containsExactly("late");
    }

    @Test
    void guardedAtWritesOnlyItLosesUpdatesToo() throws Exception {
        writeLate(Guarding.AT_WRITES);
        assertThat(lost()).containsExactly("late");
    }

    @Test
    void registeredBeforeTheFirstReadItLosesNone() throws Exception {
        run(Duration.ofSeconds(4), Duration.ofSeconds(40));
        assertThat(lost()).isEmpty();
        assertThat(acknowledged).isNotEmpty();
        assertThat(refused.get()).isPositive();
    }

    /** The first holder is stopped after its read, for longer than its lease, and goes on between its successor's read and write. */
    private void writeLate(Guarding guarding) throws Exception {
        try (Connection late = DriverManager.getConnection(url());
                Connection successor = DriverManager.getConnection(url())) {
            Lease first = lock(0).acquire();
            String seenByFirst = read(late);
            Lease second = lock(1).acquire();
            assertThat(first.isValid()).isFalse();
            String seenBySecond = read(successor);
            write(late, guarding, first, seenByFirst, "late");
            write(successor, guarding, second, seenBySecond, "successor");
            second.close();
        }
    }

    private Set<String> lost() throws SQLException {
        Set<String> lost = new HashSet<>(acknowledged);
        try (Connection connection = DriverManager.getConnection(url())) {
            lost.removeAll(Set.of(read(connection).split(",")));
        }
        return lost;
    }

    /** Runs for some time, and for longer, up to a limit, where a busy machine has not refused or taken anything yet. */
    private void run(Duration least, Duration most) throws Exception {
        long start = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                DistributedLock lock = lock(i);
                all.add(threads.submit(() -> {
                    try (Connection connection = DriverManager.getConnection(url())) {
                        while (isWithin(least, start)
                                || (isWithin(most, start) && (refused.get() == 0 || acknowledged.isEmpty()))) {
                            add(lock, connection, random);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(A_MINUTE, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean isWithin(Duration limit, long start) {
        return System.nanoTime() - start < limit.toNanos();
    }

    private void add(DistributedLock lock, Connection connection, Random random) throws Exception {
        try (Lease lease = lock.acquire()) {
            stopFor(random, 6);
            connection.setAutoCommit(false);
            FENCE.register(connection, "elements", lease.token());
            String seen = read(connection);
            stopFor(random, 3);
            write(connection, Guarding.BEFORE_THE_FIRST_READ, lease, seen, "e" + elements.incrementAndGet());
        } catch (StaleTokenException e) {
            connection.rollback();
            refused.incrementAndGet();
        } catch (SQLException e) {
            connection.rollback();
            if (!FenceContract.mayBeRunAgain(e)) {
                throw e;
            }
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private DistributedLock lock(int client) {
        return clients.get(client)
                .lock("lock", LockOptions.defaults().withLeaseDuration(LEASE).withAutoRenew(false));
    }

    private void write(Connection connection, Guarding guarding, Lease lease, String seen, String element)
            throws SQLException {
        if (guarding == Guarding.AT_WRITES) {
            connection.setAutoCommit(false);
            FENCE.register(connection, "elements", lease.token());
        }
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE elements SET all_of_them = '" + seen + "," + element + "'");
        }
        if (guarding != Guarding.NOT) {
            connection.commit();
        }
        acknowledged.add(element);
    }

    /** Stops, mostly not for long, sometimes for longer than the lease. */
    private static void stopFor(Random random, int oneIn) {
        int millis = random.nextInt(oneIn) == 0 ? 100 + random.nextInt(200) : random.nextInt(20);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static String read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT all_of_them FROM elements")) {
            row.next();
            return row.getString(1);
        }
    }
}
