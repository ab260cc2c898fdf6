package dev.leasehold.zookeeper;

import dev.leasehold.testtools.Redeployment;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that is deployed anew again and again leaves nothing of Curator and ZooKeeper. */
@Tag("slow")
class RedeployTest {

    @Test
    void nothingIsLeftOfZooKeeper() throws Exception {
        try (TestingServer server = Zoo.server()) {
            Redeployment.leavesNothing(Zoo.uri(server.getConnectString(), 30_000) + "&leasehold.storeTimeout=60000");
        }
    }
}
