package dev.leasehold.spring.boot.autoconfigure;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.RedisProcess;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that has started and has not locked yet may be restored more than once from one snapshot. */
@Tag("slow")
class SnapshotTest {

    private final AtomicInteger ids = new AtomicInteger();
    private final SecureRandom source = new SecureRandom();
    private final RandomGenerator counting = new RandomGenerator() {
        @Override
        public long nextLong() {
            return source.nextLong();
        }

        @Override
        public void nextBytes(byte[] bytes) {
            ids.incrementAndGet();
            source.nextBytes(bytes);
        }
    };

    /** The check at the start has an id and connections of its own, and ends them. */
    @Test
    void theStartLeavesNothingThatASnapshotDoubles() {
        try (RedisProcess redis = RedisProcess.start()) {
            int ours = connections(redis);
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class))
                    .withPropertyValues("leasehold.store.uri=" + redis.uri())
                    .withBean(LeaseholdBuilderCustomizer.class, () -> builder -> builder.random(counting))
                    .run(context -> {
                        assertThat(context).hasNotFailed().hasSingleBean(StoreCheck.class);
                        await().until(() -> connections(redis) == ours);
                        int before = ids.get();
                        assertThat(before).as("the check has asked").isPositive();
                        Leasehold client = context.getBean(Leasehold.class);
                        client.lock("a").acquire().close();
                        assertThat(ids).as("the client's own").hasValue(before + 1);
                        assertThat(connections(redis)).isGreaterThan(ours);
                    });
        }
    }

    private static int connections(RedisProcess redis) {
        return redis.commands().clientList().split("\n").length;
    }
}
