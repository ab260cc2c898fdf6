package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.SpoilingProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis that answers a claim with a number, or a line, that looks like the text of a token. */
@Tag("slow")
class StrangeGrantsTest {

    /** {@code $172}, the length of a busy answer, had become {@code :172}: a lease with the token 172 was granted. */
    @ParameterizedTest
    @ValueSource(strings = {":172\r\n", "+172\r\n", "(172\r\n", "*1\r\n:172\r\n", "*1\r\n+172\r\n"})
    void whatIsNotATextGrantsNothing(String answer) throws Exception {
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V7_0);
                SpoilingProxy proxy = SpoilingProxy.to(redis.port(), new SpoiltAnswers());
                Leasehold client = Leasehold.connect("redis://localhost:" + proxy.port())) {
            try (Lease lease = client.lock("first").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
            proxy.say(answer);
            assertThatThrownBy(() -> client.lock("second").tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("second")
                    .hasMessageContaining("makes no sense");
            proxy.say(null);
        }
    }
}
