package dev.leasehold.simulator;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.testtools.Connected.connected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.RedisStoreProvider;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.QueueEntries;
import dev.leasehold.testtools.Started;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scripts in a real Redis and the simulator's node give the same answers to the same random operations. All durations
 * are far longer than the test; that time passes is brought about on both sides: in the model by its clock, in Redis by
 * ending what has ended by then. Tokens come from different clocks, so they are compared by the lease that they belong to.
 */
@Tag("slow")
class DifferentialTest {

    private static final int RUNS = 60;
    private static final int STEPS = 60;
    private static final Duration LEASE = Duration.ofMinutes(10);
    /** More than a claim period, less than a waiter lives. */
    private static final long BEYOND_CLAIM_PERIODS = TimeUnit.SECONDS.toMicros(7);

    private static final long BEYOND_WAITERS = TimeUnit.SECONDS.toMicros(30);
    private static final long BEYOND_LEASES = TimeUnit.MINUTES.toMicros(60);
    private static final int CLIENTS = 4;
    private static final ClockReading NO_STAMP = new ClockReading(0, 0);

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void scriptsAndModelAgree(RedisProcess.Version version) {
        try (RedisProcess redis = RedisProcess.start(version)) {
            List<Store> stores = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                stores.add(connected(open(redis, "client" + i)));
            }
            for (int run = 0; run < RUNS; run++) {
                new Run(redis, stores, "lock" + run, run).play();
            }
            stores.forEach(Store::close);
        }
    }

    private static Store open(RedisProcess redis, String client) {
        return new RedisStoreProvider()
                .create(StoreUri.parse(redis.uri()))
                .open(new StoreContext(
                        client, "owner of " + client, "", TIME.get(), Duration.ofSeconds(A_MINUTE), new NoSignals()));
    }

    private static final class Run {
        private final RedisProcess redis;
        private final List<Store> stores;
        private final String lock;
        private final long seed;
        private final Random random;
        private final SimNode model = new SimNode(Set.of());
        private final List<ClaimId> claims = new ArrayList<>();
        private final Map<Long, Long> realTokens = new HashMap<>();
        private final List<LeaseId> modelLeases = new ArrayList<>();
        private final List<String> log = new ArrayList<>();
        private long micros = 1_000_000;

        Run(RedisProcess redis, List<Store> stores, String lock, long seed) {
            this.redis = redis;
            this.stores = stores;
            this.lock = lock;
            this.seed = seed;
            this.random = new Random(seed);
        }

        void play() {
            for (int i = 0; i < STEPS; i++) {
                step();
                compareHolder();
            }
        }

        private void step() {
            int dice = random.nextInt(100);
            if (dice < 40) {
                claim();
            } else if (dice < 62) {
                release();
            } else if (dice < 74) {
                renew();
            } else if (dice < 82) {
                withdraw();
            } else if (dice < 90) {
                breakLease();
            } else if (dice < 95) {
                letPass(BEYOND_CLAIM_PERIODS);
            } else if (dice < 98) {
                letPass(BEYOND_WAITERS);
            } else {
                letPass(BEYOND_LEASES);
            }
        }

        private SimReply ask(SimRequest request) {
            log.add(request.toString());
            micros += 1000;
            return model.execute(request, new NodeTime(micros, micros));
        }

        private void claim() {
            int client = random.nextInt(CLIENTS);
            boolean again = !claims.isEmpty() && random.nextInt(3) == 0;
            ClaimId id = again
                    ? claims.get(random.nextInt(claims.size()))
                    : new ClaimId("client" + client, claims.size() + 1);
            if (!again) {
                claims.add(id);
            }
            int from = Integer.parseInt(id.client().substring("client".length()));
            int spare = Math.floorMod(id.hashCode(), 4);
            // What is known of the place may be wrong, and asked again must be said.
            int place = again ? random.nextInt(6) : Claim.NEW;
            Claim claim = new Claim(id, lock, Claim.EXCLUSIVE, LEASE, spare, random.nextInt(3) > 0, place);
            SimAnswer expected = ask(new SimRequest.Ask(claim, "owner of " + id.client(), NO_STAMP))
                    .answer();
            ClaimAnswer actual = get(stores.get(from).claim(claim));
            if (expected instanceof SimAnswer.Granted granted) {
                assertThat(actual).as(story()).isInstanceOf(ClaimAnswer.Granted.class);
                ClaimAnswer.Granted real = (ClaimAnswer.Granted) actual;
                assertThat(real.lease().claim()).as(story()).isEqualTo(id);
                assertThat(real.spare()).as(story()).isEqualTo(granted.spare());
            } else if (expected instanceof SimAnswer.Busy busy) {
                assertThat(actual).as(story()).isInstanceOf(ClaimAnswer.Busy.class);
                ClaimAnswer.Busy real = (ClaimAnswer.Busy) actual;
                assertThat(real.place()).as(story()).isEqualTo(busy.place());
                assertThat(real.holder()).as(story()).isNotNull();
                assertThat(real.holder().owner()).as(story()).isEqualTo(busy.owner());
            }
        }

        private LeaseId someLease() {
            if (modelLeases.isEmpty() || random.nextInt(10) == 0) {
                return new LeaseId(lock, new ClaimId("client0", 1), 17);
            }
            // Mostly the newest.
            int back = Math.min(modelLeases.size() - 1, random.nextInt(3) == 0 ? random.nextInt(3) : 0);
            return modelLeases.get(modelLeases.size() - 1 - back);
        }

        private LeaseId real(LeaseId lease) {
            return new LeaseId(lock, lease.claim(), realTokens.getOrDefault(lease.token(), lease.token()));
        }

        private void release() {
            LeaseId lease = someLease();
            Duration keep = random.nextInt(6) == 0 ? LEASE : Duration.ZERO;
            SimAnswer expected = ask(new SimRequest.Release(lease, keep)).answer();
            assertThat(get(store().release(real(lease), keep)) == ReleaseAnswer.RELEASED)
                    .as(story())
                    .isEqualTo(((SimAnswer.Ended) expected).was());
        }

        private void renew() {
            LeaseId lease = someLease();
            SimAnswer expected = ask(new SimRequest.Renew(lease, LEASE)).answer();
            assertThat(get(store().renew(real(lease), LEASE)) instanceof RenewAnswer.Renewed)
                    .as(story())
                    .isEqualTo(expected instanceof SimAnswer.Renewed);
        }

        private void withdraw() {
            if (!claims.isEmpty()) {
                ClaimId claim = claims.get(claims.size() - 1 - random.nextInt(Math.min(4, claims.size())));
                ask(new SimRequest.Withdraw(lock, claim));
                get(store().withdraw(lock, claim));
            }
        }

        private void breakLease() {
            LeaseId lease = someLease();
            int offset = random.nextInt(4);
            SimAnswer expected =
                    ask(new SimRequest.Break(lock, lease.token() + offset)).answer();
            assertThat(get(store().breakLease(lock, real(lease).token() + offset)))
                    .as(story())
                    .isEqualTo(((SimAnswer.Ended) expected).was());
        }

        private void letPass(long duration) {
            log.add("pass " + duration);
            micros += duration;
            String key = "leasehold:{" + lock + "}";
            if (model.endOf(lock) <= micros) {
                redis.commands().del(key);
            }
            String value = redis.commands().get(key);
            if (value != null) {
                String[] parts = value.split("\\|", 7);
                parts[5] = Long.toString(Long.parseLong(parts[5]) - duration);
                redis.commands().set(key, String.join("|", parts), SetArgs.Builder.keepttl());
            }
            QueueEntries.shift(redis.commands(), key + ":queue", -duration);
        }

        private void compareHolder() {
            String value = redis.commands().get("leasehold:{" + lock + "}");
            LeaseId lease = model.lease(lock);
            boolean taken = lease != null && model.endOf(lock) > micros;
            assertThat(value != null).as(story()).isEqualTo(taken);
            if (value != null && lease != null && !value.startsWith("leasehold|1||")) {
                String[] parts = value.split("\\|");
                assertThat(parts[2]).as(story()).isEqualTo(lease.claim().toString());
                long token = Long.parseLong(parts[3]);
                assertThat(redis.commands().get("leasehold:{" + lock + "}:token"))
                        .as(story())
                        .isEqualTo(Long.toString(token + Long.parseLong(parts[4])));
                Long known = realTokens.putIfAbsent(lease.token(), token);
                if (known == null) {
                    modelLeases.add(lease);
                } else {
                    assertThat(token).as(story()).isEqualTo(known);
                }
            }
        }

        private Store store() {
            return stores.get(random.nextInt(CLIENTS));
        }

        private String story() {
            return "seed " + seed + ":\n" + String.join("\n", log) + "\n";
        }

        private static <T> T get(CompletionStage<T> stage) {
            return stage.toCompletableFuture().join();
        }
    }
}
