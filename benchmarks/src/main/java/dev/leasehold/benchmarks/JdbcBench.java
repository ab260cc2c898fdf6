package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Locks in databases side by side, in one run, taking turns: {@code cycles} prints uncontended cycles of acquire and release
 * per second on PostgreSQL and MariaDB, beside two bare prepared statements (as MariaDB's driver prepares them unless told
 * otherwise, and as our own pool has it do); {@code handover} the time from one process's
 * release to the next one's grant, with four processes on one lock, beside Spring Integration.
 *
 * <pre>java -cp … dev.leasehold.benchmarks.JdbcBench cycles|handover [seconds]</pre>
 */
public final class JdbcBench {

    /** Short and many: the disk is never equally fast for long, and each is compared with its round's bare statements. */
    private static final int ROUNDS = 30;

    /** Cycles of each before it counts, so that the JIT is done with all: whoever has more code is not measured half-compiled. */
    private static final int WARM_UP = 15_000;

    private static final int WARM_UP_TURN = 500;

    private JdbcBench() {}

    private interface Cycle {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        int seconds = args.length == 2 ? Integer.parseInt(args[1]) : 2;
        switch (args[0]) {
            case "cycles" -> {
                try (PostgresServer server = PostgresServer.start()) {
                    cycles("PostgreSQL", server.url(), seconds);
                }
                try (MariaDbServer server = MariaDbServer.start()) {
                    cycles("MariaDB", server.url(), seconds);
                }
            }
            case "handover" -> {
                try (PostgresServer server = PostgresServer.start()) {
                    handOver("PostgreSQL", server.url(), seconds);
                }
                try (MariaDbServer server = MariaDbServer.start()) {
                    handOver("MariaDB", server.url(), seconds);
                }
            }
            case "contend" -> contend(args[1], args[2]);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void cycles(String database, String url, int seconds) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(6);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        Map<String, Cycle> cycles = new LinkedHashMap<>();
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection bare = pool.getConnection();
                Connection prepared = DriverManager.getConnection(url + "&useServerPrepStmts=true");
                Leasehold ours = Leasehold.connect(url);
                Leasehold given =
                        Leasehold.builder().store(JdbcStore.using(pool)).build()) {
            tables(pool);
            cycles.put("two bare statements", bare(bare));
            if (database.equals("MariaDB")) {
                cycles.put("bare, prepared by the server", bare(prepared));
            }
            cycles.put("Leasehold", cycle(ours, "ours"));
            cycles.put("Leasehold, data source", cycle(given, "given"));
            cycles.put("ShedLock", shedLock(pool));
            cycles.put("Spring Integration", springCycle(spring(pool)));
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            Map<String, List<Double>> ratios = new LinkedHashMap<>();
            for (int done = 0; done < WARM_UP; done += WARM_UP_TURN) {
                for (Cycle cycle : cycles.values()) {
                    for (int i = 0; i < WARM_UP_TURN; i++) {
                        cycle.run();
                    }
                }
            }
            for (int round = 0; round < ROUNDS; round++) {
                double yardstick = 0;
                for (Map.Entry<String, Cycle> cycle : cycles.entrySet()) {
                    double rate = rate(cycle.getValue(), Duration.ofMillis(seconds * 100L));
                    yardstick = yardstick == 0 ? rate : yardstick;
                    rates.computeIfAbsent(cycle.getKey(), key -> new ArrayList<>())
                            .add(rate);
                    ratios.computeIfAbsent(cycle.getKey(), key -> new ArrayList<>())
                            .add(rate / yardstick);
                }
            }
            rates.forEach((who, all) -> System.out.printf(
                    "%-11s %-28s %8.0f cycles/s, %.2f of bare in the same round (medians)%n",
                    database, who, median(all), median(Objects.requireNonNull(ratios.get(who)))));
        }
    }

    private static Cycle cycle(Leasehold client, String name) {
        DistributedLock lock = client.lock(name);
        return () -> lock.acquire().close();
    }

    private static double rate(Cycle cycle, Duration duration) throws Exception {
        long start = System.nanoTime();
        int count = 0;
        while (System.nanoTime() - start < duration.toNanos()) {
            cycle.run();
            count++;
        }
        return count * 1e9 / (System.nanoTime() - start);
    }

    private static double median(List<Double> all) {
        double[] sorted = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    private static void tables(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bare (name varchar(64) PRIMARY KEY, owner varchar(64), ends bigint)");
            statement.execute("INSERT INTO bare VALUES ('bench', NULL, 0)");
            statement.execute("CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp(6) NULL,"
                    + " locked_at timestamp(6) NULL, locked_by varchar(255))");
            statement.execute("CREATE TABLE INT_LOCK (LOCK_KEY char(36), REGION varchar(100), CLIENT_ID char(36),"
                    + " CREATED_DATE timestamp(6) NULL, EXPIRED_AFTER timestamp(6) NULL,"
                    + " PRIMARY KEY (LOCK_KEY, REGION))");
        }
    }

    private static Cycle bare(Connection connection) throws SQLException {
        PreparedStatement take =
                connection.prepareStatement("UPDATE bare SET owner = ?, ends = ? WHERE name = ? AND ends <= ?");
        PreparedStatement free = connection.prepareStatement("UPDATE bare SET owner = NULL, ends = 0 WHERE name = ?");
        return () -> {
            long now = System.currentTimeMillis();
            take.setString(1, "me");
            take.setLong(2, now + 30_000);
            take.setString(3, "bench");
            take.setLong(4, now);
            free.setString(1, "bench");
            if (take.executeUpdate() != 1 || free.executeUpdate() != 1) {
                throw new IllegalStateException("not taken");
            }
        };
    }

    private static Cycle shedLock(HikariDataSource pool) {
        JdbcTemplateLockProvider provider =
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build());
        return () -> {
            LockConfiguration lock =
                    new LockConfiguration(Instant.now(), "bench", Duration.ofSeconds(30), Duration.ZERO);
            Optional<SimpleLock> held = provider.lock(lock);
            while (held.isEmpty()) {
                held = provider.lock(lock); // Released within the same tick of its clock.
            }
            held.get().unlock();
        };
    }

    private static JdbcLockRegistry spring(HikariDataSource pool) {
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.setCheckDatabaseOnStart(false);
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        return new JdbcLockRegistry(repository);
    }

    private static Cycle springCycle(JdbcLockRegistry registry) {
        Lock lock = registry.obtain("bench");
        return () -> {
            lock.lock();
            lock.unlock();
        };
    }

    private static void handOver(String database, String url, int seconds) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(url);
            tables(pool);
        }
        for (String who : List.of("Leasehold", "Spring Integration", "Leasehold", "Spring Integration")) {
            List<Process> processes = new ArrayList<>();
            List<long[]> holds = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                processes.add(new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                System.getProperty("java.class.path"),
                                JdbcBench.class.getName(),
                                "contend",
                                who,
                                url + " " + seconds)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
            for (int i = 0; i < processes.size(); i++) {
                try (BufferedReader lines = new BufferedReader(
                        new InputStreamReader(processes.get(i).getInputStream(), StandardCharsets.UTF_8))) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        String[] parts = line.split(" ", -1);
                        holds.add(new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[1]), i});
                    }
                }
            }
            print(database, who, holds, seconds);
        }
    }

    /** From each release to the next grant, where that is another process's. */
    private static void print(String database, String who, List<long[]> holds, int seconds) {
        holds.sort((one, other) -> Long.compare(one[0], other[0]));
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < holds.size(); i++) {
            if (holds.get(i)[2] != holds.get(i - 1)[2]) {
                gaps.add(holds.get(i)[0] - holds.get(i - 1)[1]);
            }
        }
        long[] sorted = gaps.stream().mapToLong(Long::longValue).sorted().toArray();
        System.out.printf(
                "%-11s %-20s %6d grants, %5d to another process in %d s; hand-over median %.2f ms, p99 %.2f ms%n",
                database,
                who,
                holds.size(),
                sorted.length,
                seconds,
                sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2] / 1e6,
                sorted.length == 0 ? Double.NaN : sorted[sorted.length * 99 / 100] / 1e6);
    }

    private static void contend(String who, String urlAndSeconds) throws Exception {
        String url = urlAndSeconds.substring(0, urlAndSeconds.lastIndexOf(' '));
        long seconds = Long.parseLong(urlAndSeconds.substring(urlAndSeconds.lastIndexOf(' ') + 1));
        long[] log = new long[2_000_000];
        int used = 0;
        if (who.equals("Leasehold")) {
            try (Leasehold ours = Leasehold.connect(url)) {
                DistributedLock lock = ours.lock("handover");
                long end = System.nanoTime() + Duration.ofSeconds(seconds + 3).toNanos();
                while (System.nanoTime() - end < 0 && used < log.length - 2) {
                    Lease lease = lock.acquire();
                    log[used++] = System.nanoTime();
                    log[used++] = System.nanoTime();
                    lease.close();
                }
            }
        } else {
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setJdbcUrl(url);
                pool.setMaximumPoolSize(5);
                Lock lock = spring(pool).obtain("handover");
                long end = System.nanoTime() + Duration.ofSeconds(seconds + 3).toNanos();
                while (System.nanoTime() - end < 0 && used < log.length - 2) {
                    lock.lock();
                    log[used++] = System.nanoTime();
                    log[used++] = System.nanoTime();
                    lock.unlock();
                }
            }
        }
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < used; i += 2) {
            lines.append(log[i]).append(' ').append(log[i + 1]).append('\n');
        }
        System.out.print(lines);
        System.out.flush();
    }
}
