package dev.leasehold.zookeeper;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in docs/zookeeper.md compiles. */
@Tag("slow")
class ZooKeeperPageTest {

    @Test
    void itsCodeCompiles(@TempDir Path directory) throws IOException {
        Pages.compile("docs/zookeeper.md", """
                import dev.leasehold.*;
                import dev.leasehold.zookeeper.*;
                import org.apache.curator.framework.CuratorFramework;
                static Leasehold leasehold;
                static Lease lease;
                static CuratorFramework curator;
                static ZooKeeperFence fence;
                static void load(long token) {}
                static void store(long token) {}
                static void print(int slot, long token) {}
                static byte[] changed(byte[] balance) { return balance; }
                """, directory);
    }
}
