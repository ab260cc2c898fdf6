package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The password of a user is changed while its clients live. */
@Tag("slow")
class RotatedPasswordTest {

    private static final String BEFORE = "s3cret-before";
    private static final String AFTER = "s3cret-after";

    private RedisProcess redis;
    private volatile String known = BEFORE;

    @BeforeEach
    void start() {
        redis = RedisProcess.start();
        setPassword(BEFORE);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private void setPassword(String password) {
        SecurityTest.setUser(redis, "app on resetpass >" + password + " " + SecurityTest.LEAST);
    }

    private void endConnections() {
        redis.commands().clientKill(KillArgs.Builder.user("app"));
    }

    private static Leasehold client(LeaseholdBuilder builder) {
        return builder.options(LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5)))
                .storeTimeout(Duration.ofSeconds(A_MINUTE))
                .build();
    }

    /** The URI has the old one for the life of the client. */
    @Test
    void aClientOfAUriGoesOnWhileItsConnectionsStand() throws Exception {
        String uri = "redis://app:" + BEFORE + "@localhost:" + redis.port();
        try (Leasehold client = client(Leasehold.builder().uri(uri))) {
            Lease held = client.lock("x").acquire();
            setPassword(AFTER);
            held.extend(Duration.ofMinutes(6));
            client.lock("y").acquire().close();

            endConnections();
            Throwable refused = catchThrowable(() -> client.lock("y").acquire());
            assertThat(refused)
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("user name or password are wrong");
            assertThat(all(refused)).doesNotContain("s3cret");
            assertThat(held.isValid()).isTrue();

            setPassword(BEFORE);
            held.extend(Duration.ofMinutes(6));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void aProviderOfCredentialsIsAskedForTheNewOne() throws Exception {
        RedisURI uri = RedisURI.create(redis.uri());
        uri.setCredentialsProvider(
                RedisCredentialsProvider.from(() -> RedisCredentials.just("app", known.toCharArray())));
        RedisClient lettuce = RedisClient.create(uri);
        try (Leasehold client = client(Leasehold.builder().store(RedisStore.using(lettuce)));
                Leasehold other = client(Leasehold.builder().uri(redis.uri()))) {
            Lease held = client.lock("x").acquire();
            Lease theirs = other.lock("y").acquire();
            CompletableFuture<Lease> waiting = client.lock("y").acquireAsync();
            await().until(() -> redis.commands().llen("leasehold:{y}:queue") == 1);
            setPassword(AFTER);
            known = AFTER;
            endConnections();
            held.extend(Duration.ofMinutes(6));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(theirs.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        } finally {
            lettuce.shutdown();
        }
    }

    private static String all(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
