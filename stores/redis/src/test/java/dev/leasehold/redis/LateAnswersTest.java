package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.LateAnswers;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about answers of a Redis server that come later than the server has given them. */
@Tag("slow")
class LateAnswersTest {

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    /** The first claim is sent as a whole script, which its connection does not know yet, the later ones by its SHA. */
    @ParameterizedTest
    @ValueSource(ints = {Claim.EXCLUSIVE, Claim.UNLIMITED})
    void noLeaseIsBelievedInBeyondTheServersEnd(int share) {
        try (FaultProxy proxy = FaultProxy.to(REDIS.get().port());
                LateAnswers answers =
                        new LateAnswers(proxy, at(proxy.port()), at(REDIS.get().port()))) {
            answers.neverExceedTheServersEnd(share);
        }
    }

    private static StoreFactory at(int port) {
        return new RedisStoreProvider().create(StoreUri.parse("redis://localhost:" + port));
    }
}
