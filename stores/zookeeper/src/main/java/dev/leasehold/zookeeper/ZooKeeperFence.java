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
import org.jspecify.annotations.Nullable;

/**
 * A fence guards nodes in ZooKeeper with fencing tokens: a guard with an older token than one that was registered is
 * refused, in the same transaction as its writes. So a holder that was stopped, lost its lock meanwhile and goes on
 * without knowing it, cannot harm what its successor does.
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
 * <p><b>Readers</b> of a resource that is guarded by a read-write lock {@link #registerShared register shared}. The fence keeps
 * two numbers: the newest token of all, and the newest of a writer. A writer is refused below the first, a reader below the
 * second. So a writer that has lost its lock changes nothing that a later reader has seen.
 *
 * <p>The lock may live in any store; the tokens of one resource must come from one lock. The tokens are kept in a persistent
 * node of its own and, once a reader has registered, in a second one beside it, whose name ends with {@code -writers}; delete
 * them together with the resource, not before, and {@link #reset} the fence when the lock moves to a kind of store whose tokens
 * may be smaller.
 *
 * <p>Why that is right. A node's version changes with each write, and a guard's transaction checks it. The fence's own node is
 * written by each registration that is newer than all before, of a writer or of a reader, so it refuses a writer after
 * either. The node beside it is written by writers only, in the same transaction, so it refuses a reader after a writer and
 * leaves readers to each other. The fence's own node says both numbers as soon as there is a second node, so one read shows
 * whether there is one; and it is written when the second one is made, so a writer that knew of none has to look again.
 *
 * <p>Immutable and thread-safe. Methods block for as long as Curator's retry policy lets them, and throw what Curator
 * throws: after a lost connection the writes may have been made or not.
 */
public final class ZooKeeperFence {

    private final CuratorFramework client;
    private final String path;
    private final String writers;

    private ZooKeeperFence(CuratorFramework client, String path) {
        this.client = client;
        this.path = path;
        this.writers = path + "-writers";
    }

    /**
     * Makes a fence. Sends nothing.
     *
     * @param client a started Curator client; it stays the caller's. Its namespace and access lists apply
     * @param path the fence's own node, used for nothing else; it and its parents are made when they are needed, and for readers
     *     another of that name with {@code -writers} behind it
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
        checked(token);
        while (true) {
            Registered known = known();
            try {
                if (known.newest() > token) {
                    throw new StaleTokenException(path, token, known.newest());
                }
                int version = known.version();
                if (known.exclusive() < token) {
                    Registered next = new Registered(token, token, known.isSplit(), version);
                    version = known.isSplit() ? writeBoth(known, next) : writeOwn(known, next);
                }
                return new Guard(path, token, version);
            } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
                // Somebody has registered another token in between, or removed the fence.
            }
        }
    }

    /**
     * Registers the token of a reader ({@link dev.leasehold.DistributedReadWriteLock#read()}); from now on older writers are
     * refused. Readers do not refuse each other. To be called before the first read of the resource under a lease, and once more
     * after the last one: then it tells whether a writer came in between. Repeating it does no harm.
     *
     * @param token the fencing token of the lease, not negative
     * @return what writes under this token, as long as no newer writer has registered: what a reader has made of its reads, say
     * @throws StaleTokenException if a newer one of a writer was registered before: the lease is lost. Nothing has changed; do
     *     not use what was read
     * @throws LockException if the node holds something that is no token
     * @throws Exception what Curator throws; the token may have been registered or not
     */
    public Guard registerShared(long token) throws Exception {
        checked(token);
        boolean isMissing = false;
        while (true) {
            Registered known = known();
            try {
                if (known.exclusive() > token) {
                    throw new StaleTokenException(path, token, known.exclusive());
                }
                if (!known.isSplit() || isMissing) {
                    writeBoth(
                            known,
                            new Registered(Math.max(token, known.newest()), known.exclusive(), true, known.version()));
                } else if (known.newest() < token) {
                    writeOwn(known, new Registered(token, known.exclusive(), true, known.version()));
                }
                Stat stat = new Stat();
                long exclusive = number(client.getData().storingStatIn(stat).forPath(writers), writers);
                if (exclusive > token) {
                    throw new StaleTokenException(path, token, exclusive);
                }
                return new Guard(writers, token, stat.getVersion());
            } catch (KeeperException.NoNodeException e) {
                isMissing = true; // Somebody has removed one of the nodes.
            } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
                // Somebody has registered another token in between.
            }
        }
    }

    private static void checked(long token) {
        if (token < 0) {
            throw new IllegalArgumentException("a fencing token is not negative, but this was " + token);
        }
    }

    /**
     * A registered record is the content of the fence's own node.
     *
     * @param newest the newest token
     * @param exclusive the newest of a writer
     * @param isSplit whether the two were ever told apart, so that there is a node for the writers' beside it
     * @param version the node's version
     */
    private record Registered(long newest, long exclusive, boolean isSplit, int version) {

        byte[] bytes() {
            return ascii(isSplit ? newest + " " + exclusive : Long.toString(newest));
        }
    }

    /** Returns the tokens, with all that was registered before the question; their node is there from now on. */
    private Registered known() throws Exception {
        // So that the writes of another client that registered this token can be read here from now on.
        client.sync().forPath(path);
        while (true) {
            try {
                return read();
            } catch (KeeperException.NoNodeException e) {
                create();
            }
        }
    }

    private void create() throws Exception {
        try {
            client.create().creatingParentsIfNeeded().forPath(path, ascii("0"));
        } catch (KeeperException.NodeExistsException e) {
            // Somebody else was quicker.
        }
    }

    private Registered read() throws Exception {
        Stat stat = new Stat();
        byte[] data = client.getData().storingStatIn(stat).forPath(path);
        String text = data == null ? "" : new String(data, StandardCharsets.US_ASCII);
        int space = text.indexOf(' ');
        boolean isSplit = space >= 0;
        long newest = number(isSplit ? text.substring(0, space) : text, path);
        long exclusive = isSplit ? number(text.substring(space + 1), path) : newest;
        return new Registered(newest, exclusive, isSplit, stat.getVersion());
    }

    /** Changes the fence's own node unless it has changed since it was read, and returns its new version. */
    private int writeOwn(Registered known, Registered next) throws Exception {
        return client.setData()
                .withVersion(known.version())
                .forPath(path, next.bytes())
                .getVersion();
    }

    /** Changes both nodes, in one transaction. */
    private int writeBoth(Registered known, Registered next) throws Exception {
        CuratorOp own =
                client.transactionOp().setData().withVersion(known.version()).forPath(path, next.bytes());
        byte[] exclusive = ascii(Long.toString(next.exclusive()));
        CuratorOp beside = client.checkExists().forPath(writers) != null
                ? client.transactionOp().setData().forPath(writers, exclusive)
                : client.transactionOp().create().forPath(writers, exclusive);
        return client.transaction()
                .forOperations(own, beside)
                .get(0)
                .getResultStat()
                .getVersion();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static long number(byte @Nullable [] data, String of) {
        return number(data == null ? "" : new String(data, StandardCharsets.US_ASCII), of);
    }

    private static long number(String text, String of) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new LockException(
                    "the node '" + of + "' holds no fencing token: something else uses it; nothing was written", e);
        }
    }

    /**
     * Forgets all tokens. This is meant for a lock that moves to a store whose tokens begin anew; and only once no
     * holder of the old lock still runs, because from now on any token is accepted. Guards that were made before stay
     * refused.
     *
     * @throws LockException if the node holds something that is no token
     * @throws Exception what Curator throws; the tokens may have been forgotten or not
     */
    public void reset() throws Exception {
        client.sync().forPath(path);
        while (true) {
            try {
                // Not deleted: the versions of new nodes would begin anew, and old guards would pass.
                Registered known = read();
                Registered none = new Registered(0, 0, known.isSplit(), known.version());
                if (known.isSplit()) {
                    writeBoth(known, none);
                } else {
                    writeOwn(known, none);
                }
                return;
            } catch (KeeperException.NoNodeException e) {
                return; // No token was ever registered.
            } catch (KeeperException.BadVersionException e) {
                // Somebody has registered another token in between.
            }
        }
    }

    @Override
    public String toString() {
        return path;
    }

    /**
     * A guard writes under a registered token. It is thread-safe, and of no use once a newer token is registered, and
     * if it is a reader's, once a newer one of a writer is.
     */
    public final class Guard {

        private final String node;
        private final long token;
        private final int version;

        private Guard(String node, long token, int version) {
            this.node = node;
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
            all.add(client.transactionOp().check().withVersion(version).forPath(node));
            all.addAll(List.of(operations));
            try {
                List<CuratorTransactionResult> results = client.transaction().forOperations(all);
                return List.copyOf(results.subList(1, results.size()));
            } catch (KeeperException e) {
                if (isFence(e)) {
                    Registered now = known();
                    throw new StaleTokenException(path, token, node.equals(path) ? now.newest() : now.exclusive());
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
