package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts in a real Redis and the store in memory give the same answers to the same random operations with shares. */
@Tag("slow")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class SharedModelTest {

    private static final int RUNS = 30;

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void theScriptsAnswerLikeTheModel(RedisProcess.Version version) throws Exception {
        try (RedisProcess redis = RedisProcess.start(version)) {
            for (long seed = 1; seed <= RUNS; seed++) {
                RedisSubject.play(seed, redis, TIME.get());
            }
        }
    }
}
