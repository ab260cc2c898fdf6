package dev.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What an uncontended cycle of acquire and release costs in a database: cycles per second, and processor time of this JVM per
 * cycle, on one thread, and on sixteen threads with a name and a connection each; beside two bare prepared statements and
 * ShedLock, in turns.
 *
 * <pre>java -cp … dev.leasehold.benchmarks.SqlCost [milliseconds per turn]</pre>
 */
public final class SqlCost {

    private static final int ROUNDS = 9;
    private static final int MANY = 16;
    private static final int WARM_UP_TURNS = 8;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private SqlCost() {}

    private interface Cycle {
        void run() throws Exception;
    }

    private record Turn(double rate, double cpuMicros) {}

    public static void main(String[] args) throws Exception {
        Duration turn = Duration.ofMillis(args.length == 1 ? Integer.parseInt(args[0]) : 500);
        try (PostgresServer server = PostgresServer.start()) {
            measure("PostgreSQL", server.url(), turn);
        }
        try (MariaDbServer server = MariaDbServer.start()) {
            measure("MariaDB", server.url() + "&useServerPrepStmts=true", turn);
        }
    }

    private static void measure(String database, String url, Duration turn) throws Exception {
        List<Connection> connections = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(MANY);
        try (HikariDataSource pool = new HikariDataSource();
                Leasehold ours = Leasehold.connect(url + "&leasehold.connections=" + MANY)) {
            pool.setJdbcUrl(url);
            pool.setMaximumPoolSize(MANY);
            tables(pool);
            Map<String, List<Cycle>> contestants = new LinkedHashMap<>();
            List<Cycle> bare = new ArrayList<>();
            List<Cycle> leasehold = new ArrayList<>();
            List<Cycle> shedLock = new ArrayList<>();
            JdbcTemplateLockProvider provider =
                    new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                            .withJdbcTemplate(new JdbcTemplate(pool))
                            .usingDbTime()
                            .build());
            for (int i = 0; i < MANY; i++) {
                Connection connection = DriverManager.getConnection(url);
                connections.add(connection);
                bare.add(bare(connection, "bench" + i));
                DistributedLock lock = ours.lock("bench" + i);
                leasehold.add(() -> lock.acquire().close());
                shedLock.add(shedLock(provider, "bench" + i));
            }
            contestants.put("two bare statements", bare);
            contestants.put("Leasehold", leasehold);
            contestants.put("ShedLock", shedLock);
            for (int width : new int[] {MANY, 1}) {
                compare(database, contestants, width, threads, turn);
            }
        } finally {
            threads.shutdownNow();
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private static void compare(
            String database, Map<String, List<Cycle>> contestants, int width, ExecutorService threads, Duration turn)
            throws Exception {
        Map<String, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = -WARM_UP_TURNS; round < ROUNDS; round++) {
            for (Map.Entry<String, List<Cycle>> each : contestants.entrySet()) {
                Turn one = turn(each.getValue().subList(0, width), threads, turn);
                if (round >= 0) {
                    turns.computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .add(one);
                }
            }
        }
        double[] bare = {0, 0};
        turns.forEach((who, all) -> {
            double rate = median(all.stream().mapToDouble(Turn::rate).toArray());
            double cpu = median(all.stream().mapToDouble(Turn::cpuMicros).toArray());
            bare[0] = bare[0] == 0 ? rate : bare[0];
            bare[1] = bare[1] == 0 ? cpu : bare[1];
            System.out.printf(
                    "%-11s %2d threads  %-20s %8.0f cycles/s (%.2f of bare) %6.0f µs of processor per cycle (%.1f times)%n",
                    database, width, who, rate, rate / bare[0], cpu, cpu / bare[1]);
        });
    }

    private static Turn turn(List<Cycle> cycles, ExecutorService threads, Duration duration) throws Exception {
        long start = System.nanoTime();
        long cpu = SYSTEM.getProcessCpuTime();
        List<Callable<Long>> tasks = new ArrayList<>();
        for (Cycle cycle : cycles) {
            tasks.add(() -> {
                long count = 0;
                while (System.nanoTime() - start < duration.toNanos()) {
                    cycle.run();
                    count++;
                }
                return count;
            });
        }
        long count = 0;
        for (Future<Long> done : threads.invokeAll(tasks)) {
            count += done.get();
        }
        return new Turn(count * 1e9 / (System.nanoTime() - start), (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / count);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static void tables(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bare (name varchar(64) PRIMARY KEY, owner varchar(64), ends bigint)");
            for (int i = 0; i < MANY; i++) {
                statement.execute("INSERT INTO bare VALUES ('bench" + i + "', NULL, 0)");
            }
            statement.execute("CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp(6) NULL,"
                    + " locked_at timestamp(6) NULL, locked_by varchar(255))");
        }
    }

    private static Cycle bare(Connection connection, String name) throws SQLException {
        PreparedStatement take =
                connection.prepareStatement("UPDATE bare SET owner = ?, ends = ? WHERE name = ? AND ends <= ?");
        PreparedStatement free = connection.prepareStatement("UPDATE bare SET owner = NULL, ends = 0 WHERE name = ?");
        return () -> {
            long now = System.currentTimeMillis();
            take.setString(1, "me");
            take.setLong(2, now + 30_000);
            take.setString(3, name);
            take.setLong(4, now);
            free.setString(1, name);
            if (take.executeUpdate() != 1 || free.executeUpdate() != 1) {
                throw new IllegalStateException("not taken");
            }
        };
    }

    private static Cycle shedLock(JdbcTemplateLockProvider provider, String name) {
        return () -> {
            LockConfiguration lock = new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO);
            Optional<SimpleLock> held = provider.lock(lock);
            while (held.isEmpty()) {
                held = provider.lock(lock); // Released within the same tick of its clock.
            }
            held.get().unlock();
        };
    }
}
