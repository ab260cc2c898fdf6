package dev.leasehold.zookeeper;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * A ZooKeeper store keeps locks in a ZooKeeper ensemble, 3.6 or newer. It is immutable and thread-safe, and may be
 * opened by several clients.
 *
 * <pre>{@code
 * CuratorFramework curator = CuratorFrameworkFactory.newClient("zoo1,zoo2,zoo3", new RetryForever(1_000));
 * curator.start();
 * Leasehold leasehold = Leasehold.builder().store(ZooKeeperStore.using(curator)).build();
 * }</pre>
 *
 * <p>What it promises: at most one holder has a lock, or only those that share it, whatever happens to clients, servers and
 * connections; a holder that
 * died or is cut off blocks the others for at most the session time-out T. A lease lasts no longer than its session is
 * proven to live: some two thirds of T from the last confirmation, however much was asked for; the client confirms its
 * session for all its locks together. A lease that is shorter than that is ended by its own client, and where that client
 * has died, by the end of its session: so T, not the lease, is what limits how long a dead holder blocks.
 */
public final class ZooKeeperStore implements StoreFactory {

    private final String name;
    private final String base;
    private final Function<StoreContext, CuratorConnection> link;
    private final @Nullable ZooKeeperTarget target;

    private ZooKeeperStore(
            String name,
            String base,
            Function<StoreContext, CuratorConnection> link,
            @Nullable ZooKeeperTarget target) {
        this.name = name;
        this.base = base;
        this.link = link;
        this.target = target;
    }

    /**
     * Returns a store for locks in the ensemble that a Curator client is connected to, under its namespace, if it has
     * one. The client stays the caller's: it must have been started, and is never closed here. Its connection and
     * session are used, not its recipes, its retry policy or its access lists: nodes belong to their creator alone
     * where the session has been authenticated, and to everybody otherwise.
     *
     * @param client a Curator client
     * @return the store
     */
    public static ZooKeeperStore using(CuratorFramework client) {
        Objects.requireNonNull(client, "client");
        String namespace = client.getNamespace();
        String base = namespace == null || namespace.isEmpty() ? "" : "/" + namespace;
        return new ZooKeeperStore(
                "zookeeper (the given client's)" + base, base, context -> new GivenConnection(client), null);
    }

    static ZooKeeperStore at(ZooKeeperTarget target) {
        return new ZooKeeperStore(
                target.toString(), target.base(), context -> new OwnConnection(target, context), target);
    }

    @Override
    public Store open(StoreContext context) {
        return new OpenZooKeeperStore(name, context, new Paths(base, context.namespace()), link.apply(context));
    }

    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        if (target != null) {
            findings.addAll(new Doctor(name, target, context).examine());
        }
        findings.add(Trial.of(this, context));
        return new Examination(findings);
    }

    @Override
    public String kind() {
        return "zookeeper";
    }

    @Override
    public String toString() {
        return name;
    }
}
