package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Timeout;

/** These tests are about renewals while the server is slow to answer. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RenewalTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Otherwise each impatient caller would give more work to a server that has too much. */
    @Test
    void aRenewalUnderWayIsSentOnceAndAnswersAll() throws Exception {
        try (RealTime time = new RealTime();
                RedisProcess redis = RedisProcess.start()) {
            Store store =
                    new RedisStoreProvider().create(StoreUri.parse(redis.uri())).open(context(time));
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

    private static StoreContext context(TimeSource time) {
        return new StoreContext("client", "owner", "", time, Duration.ofSeconds(10), new NoSignals());
    }

    private static int renewals(RedisProcess server) {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(server.commands().info("commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
