package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.testtools.SpoilingProxy;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about masters of a quorum that answer a ballot with something that is no vote. */
@Tag("slow")
class StrangeVotesTest {

    /** Any answer of one part was counted as a vote. */
    @ParameterizedTest
    @ValueSource(strings = {":0\r\n", ":-1\r\n", "+OK\r\n", "$-1\r\n", "*1\r\n$2\r\nno\r\n"})
    void aSinglePartThatIsNoVoteIsNotCounted(String answer) throws Exception {
        List<SpoilingProxy> proxies = new ArrayList<>();
        try (RedlockFixture quorum = RedlockFixture.opened(3)) {
            quorum.servers.forEach(server -> proxies.add(SpoilingProxy.to(server.port(), new SpoiltAnswers())));
            List<RedisURI> uris = proxies.stream()
                    .map(proxy -> RedisURI.create("redis://localhost:" + proxy.port()))
                    .toList();
            Leasehold client =
                    quorum.client(RedlockStore.of(uris).withNodeTimeout(Duration.ofSeconds(1)), RedlockFixture.LEASE);
            try (Lease lease = client.lock("first").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
            proxies.forEach(proxy -> proxy.say(answer));
            assertThatThrownBy(() -> client.lock("second").tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("second");
            proxies.forEach(proxy -> proxy.say(null));
        } finally {
            proxies.forEach(SpoilingProxy::close);
        }
    }
}
