package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.testtools.Connected.connected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** These tests are about renewals while the server is slow to answer, and about many at once. */
class RenewalTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final int MANY = 200;
    private static final int LOST = 50;
    private static final int SHARED = 60;
    private static final int OTHER_TYPE = 70;
    private static final int LONGER = 80;
    private static final int TAKEN = 90;

    /** Otherwise each impatient caller would give more work to a server that has too much. */
    @Test
    void aRenewalUnderWayIsSentOnceAndAnswersAll() throws Exception {
        try (RealTime time = new RealTime();
                RedisProcess redis = RedisProcess.start()) {
            Store store = connected(
                    new RedisStoreProvider().create(StoreUri.parse(redis.uri())).open(context(time)));
            Claim claim = new Claim(new ClaimId("client", 1), "x", LEASE, 0, false);
            LeaseId lease = ((ClaimAnswer.Granted) get(store.claim(claim))).lease();
            get(store.renew(lease, LEASE));
            redis.commands().configResetstat();
            List<CompletionStage<RenewAnswer>> answers = new ArrayList<>();
            redis.signal("STOP");
            try {
                for (int i = 0; i < 5; i++) {
                    answers.add(store.renew(lease, LEASE));
                }
            } finally {
                redis.signal("CONT");
            }
            for (CompletionStage<RenewAnswer> answer : answers) {
                assertThat(get(answer)).isInstanceOf(RenewAnswer.Renewed.class);
            }
            assertThat(renewals(redis)).isEqualTo(1);
            assertThat(get(store.renew(lease, LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(renewals(redis)).isEqualTo(2);
            store.close();
        }
    }

    /** One that is lost, taken by somebody else, shared, unreadable or held for longer changes nothing for the others. */
    @Test
    void manyAreRenewedTogetherAndEachHasItsAnswer() throws Exception {
        try (RealTime time = new RealTime();
                RedisProcess redis = RedisProcess.start()) {
            Store store = connected(
                    new RedisStoreProvider().create(StoreUri.parse(redis.uri())).open(context(time)));
            List<LeaseId> leases = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                Claim claim = i == SHARED
                        ? new Claim(new ClaimId("client", i + 1), "x" + i, Claim.UNLIMITED, SHORT, false)
                        : new Claim(new ClaimId("client", i + 1), "x" + i, SHORT, 0, false);
                leases.add(((ClaimAnswer.Granted) get(store.claim(claim))).lease());
            }
            get(store.renew(leases.get(LONGER), LEASE.multipliedBy(2)));
            redis.commands().del("leasehold:{x" + LOST + "}");
            redis.commands().del("leasehold:{x" + TAKEN + "}");
            get(store.claim(new Claim(new ClaimId("other", 1), "x" + TAKEN, SHORT, 0, false)));
            redis.commands().del("leasehold:{x" + OTHER_TYPE + "}");
            redis.commands().rpush("leasehold:{x" + OTHER_TYPE + "}", "not", "ours");
            redis.commands().configResetstat();

            List<CompletionStage<RenewAnswer>> answers = new ArrayList<>();
            redis.signal("STOP");
            try {
                leases.forEach(lease -> answers.add(store.renew(lease, LEASE)));
            } finally {
                redis.signal("CONT");
            }
            for (int i = 0; i < MANY; i++) {
                CompletionStage<RenewAnswer> answer = answers.get(i);
                if (i == OTHER_TYPE) {
                    assertThatThrownBy(() -> get(answer)).hasMessageContaining("WRONGTYPE");
                } else if (i == LOST || i == TAKEN) {
                    assertThat(get(answer)).isInstanceOf(RenewAnswer.Lost.class);
                } else {
                    Duration expected = i == LONGER ? LEASE.multipliedBy(2) : LEASE;
                    assertThat(get(answer))
                            .isInstanceOfSatisfying(
                                    RenewAnswer.Renewed.class,
                                    renewed -> assertThat(Duration.ofNanos(
                                                    renewed.validity().nanosLeft(time.nanos())))
                                            .isBetween(expected.minusSeconds(10), expected));
                    assertThat(redis.commands().pttl("leasehold:{x" + i + "}"))
                            .isBetween(expected.toMillis() - 10_000, expected.toMillis());
                }
            }
            // The batch with the key of another type is refused, and asked for one by one.
            assertThat(renewals(redis)).isLessThan(MANY / 2);
            store.close();
        }
    }

    @Test
    void readersAreRenewedTogetherToo() throws Exception {
        try (RealTime time = new RealTime();
                RedisProcess redis = RedisProcess.start()) {
            Store store = connected(
                    new RedisStoreProvider().create(StoreUri.parse(redis.uri())).open(context(time)));
            List<LeaseId> leases = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                int share = i % 2 == 0 ? Claim.UNLIMITED : MANY;
                Claim claim = new Claim(new ClaimId("client", i + 1), "x" + i % 10, share, SHORT, false);
                leases.add(((ClaimAnswer.Granted) get(store.claim(claim))).lease());
            }
            get(store.release(leases.get(LOST), Duration.ZERO));
            redis.commands().configResetstat();
            List<CompletionStage<RenewAnswer>> answers = new ArrayList<>();
            redis.signal("STOP");
            try {
                leases.forEach(lease -> answers.add(store.renew(lease, LEASE)));
            } finally {
                redis.signal("CONT");
            }
            for (int i = 0; i < MANY; i++) {
                assertThat(get(answers.get(i)))
                        .isInstanceOf(i == LOST ? RenewAnswer.Lost.class : RenewAnswer.Renewed.class);
            }
            // Eight alone, three batches, and no second question for any.
            assertThat(renewals(redis)).isEqualTo(11);
            store.close();
        }
    }

    private static StoreContext context(TimeSource time) {
        return new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals());
    }

    private static int renewals(RedisProcess server) {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(server.commands().info("commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }
}
