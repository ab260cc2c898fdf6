package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.UnansweredClaims;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * This test is about what is said of a claim that a Redis server does not answer. (A quorum that does not answer has certainly not
 * granted a claim: its client alone counts the votes, and gives up the attempt.)
 */
@Tag("slow")
class UnansweredClaimsTest {

    @Test
    void whatWasSentToAServerIsUnknownAndTheRestIsNot() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                FaultProxy proxy = FaultProxy.to(server.port())) {
            UnansweredClaims.areOfTwoKinds(
                    List.of(proxy),
                    new RedisStoreProvider().create(StoreUri.parse("redis://localhost:" + proxy.port())));
        }
    }
}
