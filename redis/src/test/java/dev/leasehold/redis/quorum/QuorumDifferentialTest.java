package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.leasehold.HolderInfo;
import dev.leasehold.redis.LastTokens;
import dev.leasehold.redis.ModelMaster;
import dev.leasehold.redis.QueueEntries;
import dev.leasehold.redis.connection.ClientRoute;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.Route;
import dev.leasehold.redis.node.Inbox;
import dev.leasehold.redis.node.NodeListener;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.redis.voter.RedisVoter;
import dev.leasehold.redis.voter.Voucher;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testkit.Started;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scripts of a quorum's master and the model that the simulator runs over give the same answers to the same random
 * requests, and are in the same state after each. The model is told the server's clock, as the server's answers have it,
 * so tokens and bounds are compared exactly. All durations are far longer than the test; that time passes is brought about
 * by making everything that is kept on both sides that much older.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumDifferentialTest {

    private static final int RUNS = 30;
    private static final int STEPS = 80;
    private static final int CLIENTS = 4;
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final MarkerRules RULES = new MarkerRules(Duration.ofMinutes(20), false);
    private static final Duration BEYOND_CLAIM_PERIODS = Duration.ofSeconds(7);
    private static final Duration BEYOND_WAITERS = Duration.ofSeconds(30);
    private static final Duration BEYOND_LEASES = Duration.ofMinutes(11);
    private static final Duration BEYOND_THE_WAIT = Duration.ofMinutes(21);
    /** What passes between two steps on a busy machine; the shortest time that matters here is a claim period. */
    private static final long TOLERANCE_MICROS = 1_000_000;

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void scriptsAndModelAgree(RedisProcess.Version version) {
        OwnClient own = new OwnClient(Duration.ofSeconds(10));
        try (RedisProcess redis = RedisProcess.start(version).warm()) {
            List<String> pushes = new CopyOnWriteArrayList<>();
            List<RedisVoter> voters = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                voters.add(voter(own, redis, "client" + i, pushes));
            }
            int vouched = 0;
            int shut = 0;
            int together = 0;
            for (int run = 0; run < RUNS; run++) {
                redis.commands().flushall();
                pushes.clear();
                Run one = new Run(redis, voters, pushes, run);
                one.play();
                vouched += one.vouched;
                shut += one.shut;
                together = Math.max(together, one.together);
            }
            assertThat(vouched).isPositive();
            assertThat(shut).isPositive();
            assertThat(together).isGreaterThan(2);
            voters.forEach(RedisVoter::close);
        } finally {
            own.close();
        }
    }

    private static RedisVoter voter(OwnClient own, RedisProcess redis, String client, List<String> pushes) {
        NodeListener events = new NodeListener() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                pushes.add(grant.lease().claim() + " " + grant.lease().token());
            }

            @Override
            public void doubt(@Nullable String lock) {}
        };
        StoreContext context =
                new StoreContext(client, client, "", TIME.get(), Duration.ofSeconds(10), new NoSignals());
        RedisURI uri = RedisURI.create(redis.uri());
        Route route = new ClientRoute(own.client(), uri, RedisUris.name(uri));
        KeyNames names = KeyNames.of("");
        Inbox inbox = new Inbox(route, context, names, false, events);
        RedisNode node = new RedisNode(route, context, RedisSettings.DEFAULTS, names, inbox, true, events);
        RedisVoter voter = new RedisVoter(node, new BallotEncoder(client, RULES), RULES);
        // Makes the connection, for a ballot is not kept back until there is one; an inbox that is not open is passed
        // over.
        get(voter.look());
        get(node.listen("the test"));
        return voter;
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static final class Run {
        private static final String LOCK = "x";
        private static final String KEY = "leasehold:{x}";
        private static final String READERS = "leasehold|2|";

        private final RedisProcess redis;
        private final List<RedisVoter> voters;
        private final List<String> pushes;
        private final List<String> expectedPushes = new ArrayList<>();
        private final long seed;
        private final Random random;
        private final ModelMaster model;
        private final List<ClaimId> attempts = new ArrayList<>();
        private final List<LeaseId> leases = new ArrayList<>();
        private final List<String> log = new ArrayList<>();
        private long now;
        private int vouched;
        private int shut;
        private int together;

        Run(RedisProcess redis, List<RedisVoter> voters, List<String> pushes, long seed) {
            this.redis = redis;
            this.voters = voters;
            this.pushes = pushes;
            this.seed = seed;
            random = new Random(seed);
            model = new ModelMaster(
                    Set.of(), RULES.maxLease(), "run", (attempt, token) -> expectedPushes.add(attempt + " " + token));
            model.flush();
        }

        void play() {
            look();
            letPass(BEYOND_THE_WAIT);
            for (int i = 0; i < STEPS; i++) {
                step();
                compareStates();
            }
            await().failFast(() -> assertThat(pushes).as(story()).hasSizeLessThanOrEqualTo(expectedPushes.size()))
                    .until(() -> pushes.size() == expectedPushes.size());
            assertThat(pushes).as(story()).containsExactlyInAnyOrderElementsOf(expectedPushes);
        }

        private void step() {
            int dice = random.nextInt(200);
            if (dice < 100) {
                vote();
            } else if (dice < 130) {
                release();
            } else if (dice < 148) {
                renew();
            } else if (dice < 160) {
                withdraw();
            } else if (dice < 172) {
                breakLease();
            } else if (dice < 175) {
                look();
            } else if (dice < 188) {
                letPass(BEYOND_CLAIM_PERIODS);
            } else if (dice < 192) {
                letPass(BEYOND_WAITERS);
            } else if (dice < 193) {
                letPass(BEYOND_LEASES);
            } else if (dice < 196) {
                letPass(BEYOND_THE_WAIT);
            } else if (dice < 197) {
                setClockBack();
            } else {
                lapse();
            }
        }

        private Duration heard(NodeStatus view) {
            now = view.micros();
            log.add("  at " + now + ", no vote for " + view.noVoteFor());
            Duration expected = model.at(now).noVoteFor("");
            assertThat(view.noVoteFor().minus(expected)).as(story()).isBetween(Duration.ZERO, Duration.ofMillis(1));
            return expected;
        }

        private void look() {
            log.add("look");
            heard(get(voter().look()));
        }

        private RedisVoter voter() {
            return voters.get(random.nextInt(CLIENTS));
        }

        private void vote() {
            boolean again = !attempts.isEmpty() && random.nextInt(5) < 3;
            ClaimId attempt = again
                    ? attempts.get(attempts.size() - 1 - random.nextInt(Math.min(6, attempts.size())))
                    : new ClaimId("client" + random.nextInt(CLIENTS), attempts.size() + 1);
            if (!again) {
                attempts.add(attempt);
            }
            int from = Integer.parseInt(attempt.client().substring("client".length()));
            boolean shares = Math.floorMod(attempt.hashCode(), 7) < 4;
            int spare = shares ? 0 : Math.floorMod(attempt.hashCode(), 4);
            int kinds = random.nextInt(10);
            Ballot.Kind kind = Ballot.Kind.values()[kinds < 3 ? 0 : kinds < 7 ? 1 : kinds < 8 ? 3 : 2];
            Duration lease = random.nextInt(3) == 0 ? LEASE.dividedBy(2) : LEASE;
            Ballot ballot = new Ballot(LOCK, attempt, shares, proposal(), spare, lease, kind);
            log.add(ballot.toString());
            Vote vote = get(voters.get(from).vote(ballot));
            log.add("  " + vote);
            if (vote instanceof Vote.Yes yes
                    && !yes.validity().sentAt().equals(vote.view().sentAt())) {
                catchUp();
                assertThat(model.noVoteFor("")).as(story()).isZero();
                vouched++;
            } else if (!heard(vote.view()).isZero()) {
                assertThat(vote).as(story()).isInstanceOf(Vote.NoVote.class);
                return;
            }
            ModelMaster.Said said = model.vote(ballot);
            log.add("  " + said);
            if (said instanceof ModelMaster.Said.Yes yes) {
                assertThat(vote).as(story()).isInstanceOf(Vote.Yes.class);
                assertThat(((Vote.Yes) vote).token()).as(story()).isEqualTo(yes.token());
                sameTime(((Vote.Yes) vote).validity(), yes.micros());
                leases.add(new LeaseId(LOCK, attempt, yes.token()));
            } else if (said instanceof ModelMaster.Said.Stale stale) {
                assertThat(vote).as(story()).isEqualTo(new Vote.Stale(stale.last(), vote.view()));
            } else if (said instanceof ModelMaster.Said.TooFar far) {
                assertThat(vote).as(story()).isEqualTo(new Vote.TooFar(far.most(), vote.view()));
            } else if (said instanceof ModelMaster.Said.Busy busy) {
                assertThat(vote).as(story()).isInstanceOf(Vote.Busy.class);
                Vote.Busy real = (Vote.Busy) vote;
                assertThat(real.place()).as(story()).isEqualTo(busy.place());
                HolderInfo holder = busy.holder();
                if (holder == null) {
                    assertThat(real.holder()).as(story()).isNull();
                    return;
                }
                assertThat(TimeUnit.NANOSECONDS.toMicros(real.timeLeft().toNanos()))
                        .as(story())
                        .isCloseTo(busy.micros(), within(TOLERANCE_MICROS));
                assertThat(real.holder().token()).as(story()).isEqualTo(holder.token());
                assertThat(real.holder().share()).as(story()).isEqualTo(holder.share());
                assertThat(real.holder().owner())
                        .as(story())
                        .isEqualTo(holder.owner().replaceAll(":.*", ""));
            }
        }

        private void sameTime(Validity real, long micros) {
            Validity expected = Validity.of(real.sentAt(), Duration.ofNanos(micros * 1000));
            assertThat((real.deadline() - expected.deadline()) / 1000)
                    .as(story())
                    .isCloseTo(0, within(TOLERANCE_MICROS));
        }

        private long proposal() {
            String stored = redis.commands().get(KEY + ":token");
            long last = stored == null ? now : Long.parseLong(stored.split("\\|")[0]);
            long half = TimeUnit.MINUTES.toMicros(10);
            return switch (random.nextInt(9)) {
                case 0 -> last - 2 + random.nextInt(5);
                case 1 -> now - half - 200_000 + random.nextInt(400_000);
                case 2 -> Math.max(now, last) + half;
                case 3 -> last + (1 << 20) - 1 + random.nextInt(3);
                case 4 -> votesFrom() - half - 2 + random.nextInt(5);
                default -> Math.max(now, last + 1) + random.nextInt(100);
            };
        }

        private long votesFrom() {
            String marker = redis.commands().get(MarkerRules.KEY);
            return marker == null
                    ? now
                    : Long.parseLong(marker.split("\\|")[3])
                            + TimeUnit.NANOSECONDS.toMicros(RULES.waitFor().toNanos());
        }

        private LeaseId someLease() {
            if (leases.isEmpty() || random.nextInt(10) == 0) {
                return new LeaseId(LOCK, new ClaimId("client0", 1), 17);
            }
            int back = random.nextInt(3) == 0 ? random.nextInt(3) : 0;
            return leases.get(Math.max(0, leases.size() - 1 - back));
        }

        private void release() {
            LeaseId lease = someLease();
            Duration keep = random.nextInt(5) == 0 ? LEASE : Duration.ZERO;
            log.add("release " + lease + " keep " + keep);
            boolean real = get(voter().release(LOCK, lease.claim(), lease.token(), keep));
            catchUp();
            assertThat(real).as(story()).isEqualTo(model.release(LOCK, lease.claim(), lease.token(), keep));
        }

        private void renew() {
            LeaseId lease = someLease();
            Duration duration = random.nextInt(3) == 0 ? LEASE.dividedBy(2) : LEASE.plusSeconds(random.nextInt(100));
            log.add("renew " + lease + " " + duration);
            RenewVote ack = get(voter().renew(LOCK, lease.claim(), lease.token(), duration));
            if (!heard(ack.view()).isZero()) {
                assertThat(ack).as(story()).isInstanceOf(RenewVote.NoVote.class);
                return;
            }
            long left = model.renew(LOCK, lease.claim(), lease.token(), duration);
            if (left < 0) {
                assertThat(ack).as(story()).isEqualTo(new RenewVote.Gone(left == -1, ack.view()));
            } else {
                assertThat(ack).as(story()).isInstanceOf(RenewVote.Renewed.class);
                sameTime(((RenewVote.Renewed) ack).validity(), left);
            }
        }

        private void withdraw() {
            if (!attempts.isEmpty()) {
                ClaimId attempt = attempts.get(attempts.size() - 1 - random.nextInt(Math.min(4, attempts.size())));
                boolean failed = random.nextBoolean();
                log.add((failed ? "abandon " : "withdraw ") + attempt);
                boolean there = model.knows(LOCK, attempt);
                // One that has been silent for too long may or may not have been removed already.
                boolean maybe =
                        QueueEntries.claims(redis.commands(), KEY + ":queue").contains(attempt.toString());
                boolean real = get(failed ? voter().abandon(LOCK, attempt) : voter().withdraw(LOCK, attempt));
                catchUp();
                model.withdraw(LOCK, attempt, failed);
                assertThat(real).as(story()).isEqualTo(there || maybe);
            }
        }

        private void breakLease() {
            LeaseId lease = someLease();
            long token = lease.token() + random.nextInt(5) - 1;
            log.add("break " + token);
            boolean real = get(voter().breakLease(LOCK, token));
            catchUp();
            assertThat(real).as(story()).isEqualTo(model.breakLease(LOCK, token));
        }

        /** Answers that do not tell the server's clock leave it in what they have written, if they have. */
        private void catchUp() {
            String value = redis.commands().get(KEY);
            if (value != null && value.startsWith(READERS)) {
                readers(value).forEach(parts -> now = Math.max(now, Long.parseLong(parts[3])));
            } else if (value != null) {
                now = Math.max(now, Long.parseLong(value.split("\\|", -1)[5]));
            }
            model.at(now);
        }

        /** Everything is lost, or the marker is another run's, as after a restart from a snapshot. */
        private void lapse() {
            String marker = redis.commands().get(MarkerRules.KEY);
            if (random.nextBoolean() || marker == null) {
                log.add("flush");
                redis.commands().flushall();
                model.flush();
            } else {
                log.add("another run's marker");
                String[] parts = marker.split("\\|");
                parts[2] = "0123abcd";
                redis.commands().set(MarkerRules.KEY, String.join("|", parts));
                // See MasterIdentityTest.
                forgetVouchers();
                model.save();
                model.restartFromSnapshot("run" + log.size());
                // What it has come back with may be old.
                long old = now - TimeUnit.MINUTES.toMicros(30);
                redis.commands().set(KEY + ":token", Long.toString(old));
                model.setLast(LOCK, old);
            }
        }

        private void letPass(Duration duration) {
            log.add("pass " + duration);
            long micros = TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
            model.age(micros);
            String value = redis.commands().get(KEY);
            if (value != null && value.startsWith(READERS)) {
                List<String> lines = new ArrayList<>(List.of(value.split("\n", -1)[0]));
                for (String[] parts : readers(value)) {
                    parts[2] = Long.toString(Long.parseLong(parts[2]) - micros);
                    lines.add(String.join("|", parts));
                }
                redis.commands().set(KEY, String.join("\n", lines), SetArgs.Builder.keepttl());
            }
            for (String key : List.of(KEY, KEY + ":queue", KEY + ":token:shut")) {
                long left = redis.commands().pttl(key);
                if (left > 0) {
                    redis.commands().pexpire(key, left - duration.toMillis());
                }
            }
            QueueEntries.shift(redis.commands(), KEY + ":queue", -micros);
            forgetVouchers();
            ageMarker(micros);
        }

        private void forgetVouchers() {
            redis.commands().keys(Voucher.KEYS + "*").forEach(redis.commands()::del);
        }

        /** The marker is from the future. */
        private void setClockBack() {
            log.add("clock set back");
            long micros = -TimeUnit.HOURS.toMicros(2);
            model.ageMarker(micros);
            ageMarker(micros);
            // For the rest of its second it is as good as before, and the model knows of none.
            forgetVouchers();
        }

        private void ageMarker(long micros) {
            String marker = redis.commands().get(MarkerRules.KEY);
            if (marker != null) {
                String[] parts = marker.split("\\|");
                parts[3] = Long.toString(Long.parseLong(parts[3]) - micros);
                redis.commands().set(MarkerRules.KEY, String.join("|", parts));
            }
        }

        private void compareStates() {
            List<KeyValue<String, String>> both = redis.commands().mget(KEY, KEY + ":token");
            String value = both.get(0).getValueOrElse("");
            keepShut();
            String[] parts = value.split("\\|", -1);
            String held = value.isEmpty()
                    ? "free"
                    : value.startsWith(READERS) ? readersAlive(value) : parts[2] + " " + parts[3] + " " + parts[4];
            List<String> living = QueueEntries.alive(redis.commands(), KEY + ":queue", now);
            assertThat(held + ", last " + both.get(1).getValueOrElse("none") + ", " + living)
                    .as(story())
                    .isEqualTo(model.state(LOCK));
        }

        /** For the lines of the readers, their parts. */
        private static List<String[]> readers(String value) {
            return value.lines().skip(1).map(line -> line.split("\\|", 5)).toList();
        }

        private String readersAlive(String value) {
            LastTokens before =
                    LastTokens.parse(value.lines().findFirst().orElseThrow().substring(READERS.length()));
            List<String> alive = new ArrayList<>();
            for (String[] parts : readers(value)) {
                if (Long.parseLong(parts[2]) > now) {
                    alive.add(parts[0] + " " + parts[1]);
                } else {
                    before = before.withReader(Long.parseLong(parts[1]));
                }
            }
            together = Math.max(together, alive.size());
            return alive.isEmpty()
                    ? "free"
                    : "readers after " + before + " " + alive.stream().sorted().toList();
        }

        /** For a long time, since the test is not always fast enough for a short one. */
        private void keepShut() {
            boolean real = redis.commands()
                    .pexpire(KEY + ":token:shut", Duration.ofHours(1).toMillis());
            boolean expected = model.shut(LOCK, real ? now + TimeUnit.HOURS.toMicros(1) : 0);
            assertThat(expected || !real).as(story()).isTrue();
            shut += real ? 1 : 0;
        }

        private String story() {
            return "seed " + seed + ":\n" + String.join("\n", log.subList(Math.max(0, log.size() - 14), log.size()))
                    + "\n";
        }
    }
}
