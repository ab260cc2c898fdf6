package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.redis.ModelMaster;
import dev.leasehold.redis.voter.RedisVoter;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A run is one random sequence of requests, from a seed, to the scripts of a master and to the model. */
final class QuorumDifferentialRun {

    private static final int STEPS = 80;
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration BEYOND_CLAIM_PERIODS = Duration.ofSeconds(7);
    private static final Duration BEYOND_WAITERS = Duration.ofSeconds(30);
    private static final Duration BEYOND_LEASES = Duration.ofMinutes(11);
    private static final Duration BEYOND_THE_WAIT = Duration.ofMinutes(21);
    /**
     * So much time may pass between two steps on a busy machine; the shortest time that matters here is a claim period.
     */
    private static final long TOLERANCE_MICROS = 1_000_000;

    private static final String LOCK = "x";

    private final MasterKeys keys;
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
    private int shut;

    QuorumDifferentialRun(
            RedisCommands<String, String> redis, List<RedisVoter> voters, List<String> pushes, long seed) {
        keys = new MasterKeys(redis, LOCK);
        this.voters = voters;
        this.pushes = pushes;
        this.seed = seed;
        random = new Random(seed);
        model = new ModelMaster(
                Set.of(),
                QuorumDifferentialTest.RULES.maxLease(),
                "run",
                (attempt, token) -> expectedPushes.add(attempt + " " + token));
        model.flush();
    }

    int shut() {
        return shut;
    }

    int together() {
        return keys.together();
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

    private Duration heard(NodeStatus status) {
        now = status.micros();
        log.add("  at " + now + ", no vote for " + status.noVoteFor());
        Duration expected = model.at(now).noVoteFor("");
        assertThat(status.noVoteFor().minus(expected)).as(story()).isBetween(Duration.ZERO, Duration.ofMillis(1));
        return expected;
    }

    private void look() {
        log.add("look");
        heard(QuorumDifferentialTest.get(voter().look()));
    }

    private RedisVoter voter() {
        return voters.get(random.nextInt(voters.size()));
    }

    private void vote() {
        boolean again = !attempts.isEmpty() && random.nextInt(5) < 3;
        ClaimId attempt = again
                ? attempts.get(attempts.size() - 1 - random.nextInt(Math.min(6, attempts.size())))
                : new ClaimId("client" + random.nextInt(voters.size()), attempts.size() + 1);
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
        Vote vote = QuorumDifferentialTest.get(voters.get(from).vote(ballot));
        log.add("  " + vote);
        if (!heard(vote.status()).isZero()) {
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
            assertThat(vote).as(story()).isEqualTo(new Vote.Stale(stale.last(), vote.status()));
        } else if (said instanceof ModelMaster.Said.TooFar far) {
            assertThat(vote).as(story()).isEqualTo(new Vote.TooFar(far.most(), vote.status()));
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
        assertThat((real.deadline() - expected.deadline()) / 1000).as(story()).isCloseTo(0, within(TOLERANCE_MICROS));
    }

    private long proposal() {
        Long stored = keys.last();
        long last = stored == null ? now : stored;
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
        Long since = keys.markerSince();
        return since == null
                ? now
                : since
                        + TimeUnit.NANOSECONDS.toMicros(
                                QuorumDifferentialTest.RULES.waitFor().toNanos());
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
        boolean real = QuorumDifferentialTest.get(voter().release(LOCK, lease.claim(), lease.token(), keep));
        catchUp();
        assertThat(real).as(story()).isEqualTo(model.release(LOCK, lease.claim(), lease.token(), keep));
    }

    private void renew() {
        LeaseId lease = someLease();
        Duration duration = random.nextInt(3) == 0 ? LEASE.dividedBy(2) : LEASE.plusSeconds(random.nextInt(100));
        log.add("renew " + lease + " " + duration);
        RenewVote vote = QuorumDifferentialTest.get(voter().renew(LOCK, lease.claim(), lease.token(), duration));
        if (!heard(vote.status()).isZero()) {
            assertThat(vote).as(story()).isInstanceOf(RenewVote.NoVote.class);
            return;
        }
        long left = model.renew(LOCK, lease.claim(), lease.token(), duration);
        if (left < 0) {
            assertThat(vote).as(story()).isEqualTo(new RenewVote.Gone(left == -1, vote.status()));
        } else {
            assertThat(vote).as(story()).isInstanceOf(RenewVote.Renewed.class);
            sameTime(((RenewVote.Renewed) vote).validity(), left);
        }
    }

    private void withdraw() {
        if (!attempts.isEmpty()) {
            ClaimId attempt = attempts.get(attempts.size() - 1 - random.nextInt(Math.min(4, attempts.size())));
            boolean failed = random.nextBoolean();
            log.add((failed ? "abandon " : "withdraw ") + attempt);
            boolean there = model.knows(LOCK, attempt);
            // One that has been silent for too long may or may not have been removed already.
            boolean maybe = keys.claims().contains(attempt.toString());
            boolean real = QuorumDifferentialTest.get(
                    failed ? voter().abandon(LOCK, attempt) : voter().withdraw(LOCK, attempt));
            catchUp();
            model.withdraw(LOCK, attempt, failed);
            assertThat(real).as(story()).isEqualTo(there || maybe);
        }
    }

    private void breakLease() {
        LeaseId lease = someLease();
        long token = lease.token() + random.nextInt(5) - 1;
        log.add("break " + token);
        boolean real = QuorumDifferentialTest.get(voter().breakLease(LOCK, token));
        catchUp();
        assertThat(real).as(story()).isEqualTo(model.breakLease(LOCK, token));
    }

    /** Answers that do not tell the server's clock leave it in what they have written, if they have. */
    private void catchUp() {
        now = Math.max(now, keys.latest());
        model.at(now);
    }

    /** Everything is lost, or the marker is another run's, as after a restart from a snapshot. */
    private void lapse() {
        if (random.nextBoolean() || !keys.restart()) {
            log.add("flush");
            keys.flush();
            model.flush();
        } else {
            log.add("another run's marker");
            model.save();
            model.restartFromSnapshot("run" + log.size());
            // What it has come back with may be old.
            long old = now - TimeUnit.MINUTES.toMicros(30);
            keys.setLast(old);
            model.setLast(LOCK, old);
        }
    }

    private void letPass(Duration duration) {
        log.add("pass " + duration);
        model.age(TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
        keys.age(duration);
    }

    /** The marker is from the future. */
    private void setClockBack() {
        log.add("clock set back");
        long micros = -TimeUnit.HOURS.toMicros(2);
        model.ageMarker(micros);
        keys.ageMarker(micros);
    }

    private void compareStates() {
        keepShut();
        assertThat(keys.state(now)).as(story()).isEqualTo(model.state(LOCK));
    }

    private void keepShut() {
        boolean real = keys.keepShut();
        boolean expected = model.shut(LOCK, real ? now + TimeUnit.HOURS.toMicros(1) : 0);
        assertThat(expected || !real).as(story()).isTrue();
        shut += real ? 1 : 0;
    }

    private String story() {
        return "seed " + seed + ":\n" + String.join("\n", log.subList(Math.max(0, log.size() - 14), log.size())) + "\n";
    }
}
