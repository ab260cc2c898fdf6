package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.Stat;

/**
 * Guards nodes in ZooKeeper with fencing tokens: a guard with an older token than one that was registered is refused, in
 * the same transaction as its writes. So a holder that was stopped, lost its lock meanwhile and goes on without knowing it,
 * cannot harm what its successor does.
 *
 * <pre>{@code
 * ZooKeeperFence fence = ZooKeeperFence.on(curator, "/accounts/42/fence");
 * try (Lease lease = lock.acquire()) {
 *     ZooKeeperFence.Guard guard = fence.register(lease.token());   // before the first read
 *     byte[] balance = curator.getData().forPath("/accounts/42");
 *     guard.write(curator.transactionOp().setData().forPath("/accounts/42", changed(balance)));
 * }
 * }</pre>
 *
 * <p><b>Register before the first read.</b> Checking the token at writes alone is not enough: a late write can land between
 * the successor's read and its write, and is then overwritten by what the successor made of the older state. After {@link
 * #register}, no earlier holder writes any more, and reads through the same client see everything that was written
 * before. All writes of those nodes must go through a guard.
 *
 * <p>The lock may live in any store; the tokens of one resource must come from one lock. The newest token is kept in a
 * persistent node of its own; delete it together with the resource, not before, and {@link #reset} it when the lock moves to a
 * kind of store whose tokens may be smaller.
 *
 * <p>Immutable and thread-safe. Methods block for as long as Curator's retry policy lets them, and throw what Curator
 * throws: after a lost connection the writes may have been made or not.
 */
public final class ZooKeeperFence {

    private final CuratorFramework client;
    private final String path;

    private ZooKeeperFence(CuratorFramework client, String path) {
        this.client = client;
        this.path = path;
    }

    /**
     * A fence. Sends nothing.
     *
     * @param client a started Curator client; it stays the caller's. Its namespace and access lists apply
     * @param path the fence's own node, used for nothing else; it and its parents are made when they are needed
     * @return the fence
     * @throws IllegalArgumentException if that is no path
     */
    public static ZooKeeperFence on(CuratorFramework client, String path) {
        Objects.requireNonNull(client, "client");
        PathUtils.validatePath(path);
        return new ZooKeeperFence(client, path);
    }

    /**
     * Registers a token; from now on older ones are refused. To be called before the first read of the resource under a
     * lease. Repeating it does no harm.
     *
     * @param token the fencing token of the lease, not negative
     * @return what writes under this token
     * @throws StaleTokenException if a newer one was registered before: the lease is lost. Nothing has changed
     * @throws LockException if the node holds something that is no token
     * @throws Exception what Curator throws; the token may have been registered or not
     */
    public Guard register(long token) throws Exception {
        if (token < 0) {
            throw new IllegalArgumentException("a fencing token is not negative, but this was " + token);
        }
        byte[] data = Long.toString(token).getBytes(StandardCharsets.US_ASCII);
        // So that the writes of another client that registered this token can be read here from now on.
        client.sync().forPath(path);
        while (true) {
            try {
                Stat stat = new Stat();
                long newest = read(stat);
                if (newest > token) {
                    throw new StaleTokenException(path, token, newest);
                }
                if (newest < token) {
                    stat = client.setData().withVersion(stat.getVersion()).forPath(path, data);
                }
                return new Guard(token, stat.getVersion());
            } catch (KeeperException.NoNodeException e) {
                create(data);
            } catch (KeeperException.BadVersionException e) {
                // Somebody has registered another token in between.
            }
        }
    }

    private void create(byte[] data) throws Exception {
        try {
            client.create().creatingParentsIfNeeded().forPath(path, data);
        } catch (KeeperException.NodeExistsException e) {
            // Somebody else was quicker.
        }
    }

    private long read(Stat stat) throws Exception {
        byte[] data = client.getData().storingStatIn(stat).forPath(path);
        String text = data == null ? "" : new String(data, StandardCharsets.US_ASCII);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new LockException(
                    "the node '" + path + "' holds no fencing token: something else uses it; nothing was written", e);
        }
    }

    /**
     * Forgets all tokens. For when the lock moves to a store whose tokens begin anew; and only when nobody who has had the
     * old lock still runs, because from now on any token will do. Guards that were made before stay refused.
     *
     * @throws Exception what Curator throws; the tokens may have been forgotten or not
     */
    public void reset() throws Exception {
        try {
            // Not deleted: the versions of a new node would begin anew, and old guards would pass.
            client.setData().forPath(path, new byte[] {'0'});
        } catch (KeeperException.NoNodeException e) {
            // No token was ever registered.
        }
    }

    @Override
    public String toString() {
        return path;
    }

    /** Writes under a registered token. Thread-safe; of no use once a newer token is registered. */
    public final class Guard {

        private final long token;
        private final int version;

        private Guard(long token, int version) {
            this.token = token;
            this.version = version;
        }

        /**
         * Carries out some operations if no newer token is registered, all or none, in one transaction.
         *
         * @param operations made with {@link CuratorFramework#transactionOp()}
         * @return their results, in the same order
         * @throws StaleTokenException if a newer token is registered; nothing was written
         * @throws Exception what Curator throws; where one of the operations was refused, nothing was written
         */
        public List<CuratorTransactionResult> write(CuratorOp... operations) throws Exception {
            List<CuratorOp> all = new ArrayList<>(operations.length + 1);
            all.add(client.transactionOp().check().withVersion(version).forPath(path));
            all.addAll(List.of(operations));
            try {
                List<CuratorTransactionResult> results = client.transaction().forOperations(all);
                return List.copyOf(results.subList(1, results.size()));
            } catch (KeeperException e) {
                if (isFence(e)) {
                    client.sync().forPath(path);
                    throw new StaleTokenException(path, token, read(new Stat()));
                }
                throw e;
            }
        }

        private static boolean isFence(KeeperException e) {
            List<OpResult> results = e.getResults();
            return results != null
                    && !results.isEmpty()
                    && results.get(0) instanceof OpResult.ErrorResult first
                    && first.getErr() == Code.BADVERSION.intValue();
        }

        @Override
        public String toString() {
            return path + " under " + token;
        }
    }
}
