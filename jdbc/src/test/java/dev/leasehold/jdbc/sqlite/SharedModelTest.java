package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockInfo;
import dev.leasehold.jdbc.JdbcStoreProvider;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stores in databases and the one in memory give the same answers to the same random operations with all kinds of shares.
 * Time is virtual; the database on a server has its own, and there what is written is moved instead: back where time is to
 * pass, forth by the time that the steps themselves have taken, which on a busy machine is longer than a waiter lives.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedModelTest {

    private static final int STEPS = 80;
    private static final int CLIENTS = 3;
    private static final Duration LEASE = Duration.ofSeconds(600);
    private static final Duration KEPT = Duration.ofSeconds(300);
    private static final String LOCK = "lock";
    private static final String LEFT = "left (PT[0-9.HMS]+)";

    /** Beyond a claim period; beyond a waiter's life; beyond leases. */
    private static final int[] PAUSES = {7, 7, 7, 30, 30, 1_000};

    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();

    /** Moves the time of the store that is tested. */
    private interface Clock {
        void advance(Duration by) throws SQLException;

        /** Undoes what has passed by itself. */
        default void hold() throws SQLException {}
    }

    /** The same operations on two stores. */
    private final class Pair implements AutoCloseable {
        private final List<Store> model = new ArrayList<>();
        private final List<Store> tested = new ArrayList<>();
        private final List<Claim> claims = new ArrayList<>();
        private final Map<ClaimId, LeaseId> modelLeases = new HashMap<>();
        private final Map<ClaimId, LeaseId> testedLeases = new HashMap<>();
        private final Random random;
        private final Clock clock;
        private final StringBuilder log = new StringBuilder();
        private final long began = System.nanoTime();
        private long claimCount;

        Pair(long seed, Clock clock, StoreFactory factory) {
            this.random = new Random(seed);
            this.clock = clock;
            StoreFactory memory = ServiceLoader.load(StoreProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.schemes().contains("memory"))
                    .findFirst()
                    .orElseThrow()
                    .create(StoreUri.parse("memory:"));
            for (int i = 0; i < CLIENTS; i++) {
                model.add(memory.open(context(i)));
                tested.add(factory.open(context(i)));
            }
        }

        private StoreContext context(int client) {
            return new StoreContext("c" + client, "owner " + client, "", time, Duration.ofSeconds(20), new NoSignals());
        }

        void step() throws SQLException {
            int what = random.nextInt(20);
            if (what < 7 || claims.isEmpty()) {
                ask(newClaim());
            } else if (what == 7) {
                pause(Duration.ofSeconds(PAUSES[random.nextInt(PAUSES.length)]));
            } else if (what == 8) {
                breakOne();
            } else {
                Claim claim = claims.get(random.nextInt(claims.size()));
                LeaseId ours = modelLeases.get(claim.id());
                LeaseId theirs = testedLeases.get(claim.id());
                if (what < 12 || ours == null || theirs == null) {
                    ask(claim);
                } else if (what < 15) {
                    Duration keep = random.nextInt(3) == 0 ? KEPT : Duration.ZERO;
                    same(
                            "release " + ours.claim() + " " + keep,
                            get(client(model, claim).release(ours, keep)),
                            get(client(tested, claim).release(theirs, keep)));
                } else if (what == 15) {
                    get(client(model, claim).withdraw(LOCK, claim.id()));
                    get(client(tested, claim).withdraw(LOCK, claim.id()));
                    log.append("withdraw ").append(claim.id()).append('\n');
                    claims.remove(claim);
                } else if (what < 18) {
                    same(
                            "renew " + claim.id(),
                            name(get(client(model, claim).renew(ours, LEASE))),
                            name(get(client(tested, claim).renew(theirs, LEASE))));
                } else {
                    same(
                            "downgrade " + claim.id(),
                            name(get(client(model, claim).downgrade(ours, LEASE))),
                            name(get(client(tested, claim).downgrade(theirs, LEASE))));
                }
            }
            same("inspect", seen(model), seen(tested));
        }

        private Claim newClaim() {
            int[] shares = {1, 2, 3, 3, 5, Claim.UNLIMITED, Claim.UNLIMITED};
            int share = shares[random.nextInt(shares.length)];
            ClaimId id = new ClaimId("c" + random.nextInt(CLIENTS), ++claimCount);
            Claim claim = new Claim(id, LOCK, share, LEASE, share == 1 ? 3 : 0, random.nextInt(5) > 0, Claim.UNKNOWN);
            claims.add(claim);
            return claim;
        }

        private void ask(Claim claim) {
            ClaimAnswer ours = get(client(model, claim).claim(claim));
            ClaimAnswer theirs = get(client(tested, claim).claim(claim));
            if (ours instanceof ClaimAnswer.Granted one && theirs instanceof ClaimAnswer.Granted two) {
                modelLeases.put(claim.id(), one.lease());
                testedLeases.put(claim.id(), two.lease());
            }
            same("claim " + claim, told(ours), told(theirs));
        }

        private static String told(ClaimAnswer answer) {
            if (answer instanceof ClaimAnswer.Granted granted) {
                return "granted, slot " + granted.slot() + ", spare " + granted.spare();
            }
            ClaimAnswer.Busy busy = (ClaimAnswer.Busy) answer;
            // Of two that end at once either may be named.
            return "busy at " + busy.place() + (busy.holder() == null ? " by nobody" : " by somebody")
                    + (busy.timeLeft() == null ? "" : ", left " + busy.timeLeft());
        }

        private void breakOne() {
            List<HolderInfo> ours = holders(model);
            List<HolderInfo> theirs = holders(tested);
            if (!ours.isEmpty() && ours.size() == theirs.size()) {
                int which = random.nextInt(ours.size());
                same(
                        "break",
                        get(model.get(0).breakLease(LOCK, ours.get(which).token())),
                        get(tested.get(0).breakLease(LOCK, theirs.get(which).token())));
            }
        }

        private void pause(Duration by) throws SQLException {
            log.append("advance ").append(by).append('\n');
            time.advance(by);
            clock.advance(by);
        }

        private static List<HolderInfo> holders(List<Store> stores) {
            List<LockInfo> all = get(stores.get(0).inspect(NamePattern.of(LOCK)));
            return all.isEmpty() ? List.of() : all.get(0).holders();
        }

        private static String seen(List<Store> stores) {
            StringBuilder text = new StringBuilder();
            for (LockInfo lock : get(stores.get(0).inspect(NamePattern.of(LOCK)))) {
                lock.holders().forEach(holder -> text.append(seen(holder)).append("; "));
                lock.waiters()
                        .forEach(each -> text.append(each.place())
                                .append(" waits ")
                                .append(each.owner())
                                .append(" with ")
                                .append(each.share())
                                .append("; "));
            }
            return text.toString();
        }

        private static String seen(HolderInfo holder) {
            return "'" + holder.owner() + "' with " + holder.share() + " slot " + holder.slot() + ", left "
                    + holder.timeLeft();
        }

        private static String name(Object answer) {
            return answer.getClass().getSimpleName();
        }

        private Store client(List<Store> stores, Claim claim) {
            return stores.get(Integer.parseInt(claim.id().client().substring(1)));
        }

        private void same(String what, Object expected, Object found) {
            log.append(what).append(": ").append(expected).append('\n');
            assertThat(found.toString().replaceAll(LEFT, "left"))
                    .as("%s", log)
                    .isEqualTo(expected.toString().replaceAll(LEFT, "left"));
            List<Duration> theirs = lefts(found);
            List<Duration> ours = lefts(expected);
            // The model's time stands still while the tested store answers.
            Duration tolerance = Duration.ofNanos(System.nanoTime() - began).plusSeconds(1);
            for (int i = 0; i < ours.size(); i++) {
                assertThat(theirs.get(i)).as("%s", log).isCloseTo(ours.get(i), tolerance);
            }
        }

        private static List<Duration> lefts(Object answer) {
            return Pattern.compile(LEFT)
                    .matcher(answer.toString())
                    .results()
                    .map(each -> Duration.parse(each.group(1)))
                    .toList();
        }

        @Override
        public void close() {
            model.forEach(Store::close);
            tested.forEach(Store::close);
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private void run(long seed, Clock clock, StoreFactory factory) throws SQLException {
        try (Pair pair = new Pair(seed, clock, factory)) {
            pair.log.append("seed ").append(seed).append('\n');
            for (int i = 0; i < STEPS; i++) {
                pair.step();
                clock.hold();
            }
        }
    }

    @Test
    void aFileAnswersLikeTheModel() throws Exception {
        ExpiryClock clock = new ExpiryClock() {
            @Override
            public String boot() {
                return "virtual";
            }

            @Override
            public long micros() {
                return time.nanos() / 1_000;
            }

            @Override
            public long wallMicros() {
                return time.now().wallMicros();
            }
        };
        for (long seed = 1; seed <= 60; seed++) {
            SqliteFactory factory = new SqliteFactory(directory.resolve("locks" + seed + ".db"));
            run(seed, by -> {}, new StoreFactory() {
                @Override
                public Store open(StoreContext context) {
                    return factory.open(context, clock);
                }
            });
        }
    }

    @Test
    void aServerAnswersLikeTheModel() throws Exception {
        for (long seed = 1; seed <= 40; seed++) {
            String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            // The first connection loads the database, which on a busy machine takes longer than a pool waits.
            try (Connection first = DriverManager.getConnection(url)) {
                assertThat(first.isValid(1)).isTrue();
                run(seed, new ServerClock(url), new JdbcStoreProvider().create(StoreUri.parse(url)));
            }
        }
    }

    private static final class ServerClock implements Clock {

        private static final String NOW =
                "DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00:00', CURRENT_TIMESTAMP(6))";

        private static final long LITTLE = 200_000;

        private final String url;
        private long heldAt = System.nanoTime();

        ServerClock(String url) {
            this.url = url;
        }

        /** Makes all that is written end earlier, as if time had passed. */
        @Override
        public void advance(Duration by) throws SQLException {
            move(-by.toNanos() / 1_000, "");
        }

        /** An end that has passed stays passed. */
        @Override
        public void hold() throws SQLException {
            long now = System.nanoTime();
            long passed = (now - heldAt) / 1_000;
            if (passed < LITTLE) {
                return;
            }
            heldAt = now;
            move(passed, " WHERE $ > " + NOW);
        }

        private void move(long micros, String which) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                for (String column : List.of("lock.ends", "holder.ends", "waiter.alive_until")) {
                    String name = column.substring(column.indexOf('.') + 1);
                    statement.execute("UPDATE \"leasehold_" + column.substring(0, column.indexOf('.')) + "\" SET "
                            + name + " = " + name + " + " + micros + which.replace("$", name));
                }
            }
        }
    }
}
