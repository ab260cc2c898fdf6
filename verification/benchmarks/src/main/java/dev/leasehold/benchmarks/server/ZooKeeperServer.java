package dev.leasehold.benchmarks.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** A ZooKeeper server is an ensemble of one. */
final class ZooKeeperServer implements StoreServer {

    private final Path directory = Files.createTempDirectory("leasehold-bench-zookeeper-");
    private final ZooKeeperProcess process;

    ZooKeeperServer() throws Exception {
        process = new ZooKeeperProcess(directory);
    }

    @Override
    public StoreKind kind() {
        return StoreKind.ZOOKEEPER;
    }

    @Override
    public String version() {
        return "ZooKeeper " + Version.getVersion();
    }

    @Override
    public String uri() {
        return "zookeeper://" + process.address();
    }

    @Override
    public long cpuNanos() {
        return ProcessTime.withDescendants(process.pid());
    }

    @Override
    public long requestsDuring(Task task) throws Exception {
        long before = process.received();
        task.run();
        return process.received() - before;
    }

    @Override
    public Optional<Leftovers> leftovers(String lock) throws Exception {
        try (ZooKeeper client = new ZooKeeper(process.address(), 30_000, event -> {})) {
            int entries = 0;
            int endless = 0;
            for (String path : ZKUtil.listSubTreeBFS(client, "/")) {
                Stat stat = path.contains(lock) ? client.exists(path, false) : null;
                if (stat != null) {
                    entries++;
                    endless += stat.getEphemeralOwner() == 0 ? 1 : 0;
                }
            }
            return Optional.of(new Leftovers(entries, endless));
        }
    }

    @Override
    public void close() throws Exception {
        process.close();
        DirectoryTree.delete(directory);
    }
}
