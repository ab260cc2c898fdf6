package dev.leasehold.zookeeper;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.testtools.Started;
import dev.leasehold.testtools.Tampering;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about nodes of locks that somebody has changed, deleted or invented. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TamperedNodesTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(20));

    private static final List<String> NAMES = List.of(
            "garbage",
            "1-",
            "1-keep-",
            "1-keep-99999999999999999999",
            "1-keep-7",
            "2-keep-all-5",
            "2-keep-4.9999-5",
            "2-keep-99999-1",
            "1-client-1-0000000000",
            "1-client-1--2147483648",
            "1-client-1-2147483647",
            "1-client-1-9999999999",
            "1-client-99999999999999999999-0000000001",
            "1-%-1-0000000002",
            "1-%zz-1-0000000002",
            "2-all-client-1-0000000000",
            "2-0-client-1-0000000000",
            "2-1-client-1-0000000000",
            "2-9999-client-1-0000000000",
            "2-read-client-1-0000000000",
            "2-99999-client-1-0000000000",
            "3-client-1-0000000000",
            "99999999999999999999-x");

    private static final List<String> CONTENTS = List.of(
            "",
            "\n",
            "garbage",
            "-1\n-1",
            "99999999999999999999\n1",
            "7\n9223372036854775807",
            "+\n",
            "x".repeat(100_000));

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    @Test
    void nodes() throws Exception {
        OneServer server = ZOO.get();
        String uri = Zoo.uri("127.0.0.1:" + server.port(), 20_000);
        try (Leasehold client = Leasehold.builder()
                .uri(uri)
                .options(OPTIONS)
                .storeTimeout(Duration.ofSeconds(3))
                .build()) {
            Tampering.fuzz(client, "zookeeper", new Nodes(server));
        }
    }

    private record Nodes(OneServer server) implements Tampering.Hand {

        @Override
        public void tamper(String lock, Random random) throws Exception {
            byte[] content = CONTENTS.get(random.nextInt(CONTENTS.size())).getBytes(StandardCharsets.UTF_8);
            String path = OneServer.LOCKS + lock;
            List<String> nodes = server.nodes(lock);
            String some = nodes.isEmpty() ? "" : "/" + nodes.get(random.nextInt(nodes.size()));
            try {
                switch (random.nextInt(5)) {
                    case 0 -> server.probe.setData(path + some, content, -1);
                    case 1 -> server.probe.delete(path + some, -1);
                    default -> {
                        server.make(path);
                        CreateMode mode = random.nextBoolean() ? CreateMode.PERSISTENT : CreateMode.EPHEMERAL;
                        String name = NAMES.get(random.nextInt(NAMES.size()));
                        server.probe.create(path + '/' + name, content, Ids.OPEN_ACL_UNSAFE, mode);
                    }
                }
            } catch (KeeperException e) {
                // It is there already, or no longer.
            }
        }

        @Override
        public void remove(String lock) throws Exception {
            for (String node : server.nodes(lock)) {
                try {
                    server.probe.delete(OneServer.LOCKS + lock + '/' + node, -1);
                } catch (KeeperException.NoNodeException e) {
                    // It has gone by itself.
                }
            }
        }
    }
}
