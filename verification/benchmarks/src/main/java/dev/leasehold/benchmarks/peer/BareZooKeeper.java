package dev.leasehold.benchmarks.peer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * A bare ZooKeeper client does the least that a lock in ZooKeeper takes: it creates and deletes a node. Nothing is
 * listed, so nothing is locked.
 */
final class BareZooKeeper implements LockClient {

    private final ZooKeeper client;

    BareZooKeeper(Target target) throws Exception {
        client = new ZooKeeper(
                target.uri().replace("zookeeper://", ""), (int) target.lease().toMillis(), event -> {});
        ensure("/bare");
    }

    private void ensure(String path) throws Exception {
        try {
            client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException e) {
            // Another process was quicker.
        }
    }

    @Override
    public LockHandle lock(String name) throws Exception {
        String parent = "/bare/" + name;
        ensure(parent);
        return new LockHandle() {
            private String node = "";

            @Override
            public void acquire() throws Exception {
                node = client.create(
                        parent + "/n-", new byte[40], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
            }

            @Override
            public void release() throws Exception {
                client.delete(node, -1);
            }
        };
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
