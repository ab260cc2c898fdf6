package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A release by the lock's key alone, while its slot moves, ends the very lease that it names and no other. */
@Tag("slow")
class ReleaseAloneTest {

    private static final String LOCK = "leasehold:{x}";

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private Object release(String value, String beginning) {
        redis.get().commands().set(LOCK, value);
        return redis.get()
                .commands()
                .eval(
                        Script.RELEASE_ALONE.text(),
                        ScriptOutputType.INTEGER,
                        new String[] {LOCK},
                        "leasehold|1|" + beginning,
                        "0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"other:1|17|", "holder:2|17|", "holder:1|18|", "holder:1|1|"})
    void itNeedsBothTheClaimAndTheToken(String beginning) {
        String alone = "leasehold|1|holder:1|17|0|1|them";
        assertThat(release(alone, beginning)).isEqualTo(0L);
        assertThat(redis.get().commands().get(LOCK)).isEqualTo(alone);
        String shared = "leasehold|2|-\nholder:1|17|9000000000000000|1|0|5|0|them";
        assertThat(release(shared, beginning)).isEqualTo(0L);
        assertThat(redis.get().commands().get(LOCK)).isEqualTo(shared);
    }

    @Test
    void whatItNamesIsGone() {
        assertThat(release("leasehold|1|holder:1|17|0|1|them", "holder:1|17|")).isEqualTo(1L);
        assertThat(redis.get().commands().exists(LOCK)).isZero();
    }
}
