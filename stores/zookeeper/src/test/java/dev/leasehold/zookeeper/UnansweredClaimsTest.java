package dev.leasehold.zookeeper;

import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import dev.leasehold.testtools.UnansweredClaims;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** This test is about what is said of a claim that ZooKeeper does not answer. */
@Tag("slow")
class UnansweredClaimsTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    @Test
    void whatWasSentIsUnknownAndTheRestIsNot() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            UnansweredClaims.areOfTwoKinds(List.of(proxy), Zoo.store("127.0.0.1:" + proxy.port(), 30_000));
        }
    }
}
