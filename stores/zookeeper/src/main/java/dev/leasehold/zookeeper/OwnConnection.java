package dev.leasehold.zookeeper;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/** An own connection is a Curator client that Leasehold makes, with a session of its own. */
final class OwnConnection implements CuratorConnection {

    private static final Duration MOST_TO_CONNECT = Duration.ofSeconds(15);
    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private final StoreContext context;
    private final String threads = "leasehold-zookeeper-" + CLIENTS.incrementAndGet();
    private final CuratorFramework client;
    private final GivenConnection link;
    private volatile @Nullable Events told;

    OwnConnection(ZooKeeperTarget target, StoreContext context) {
        this.context = context;
        Duration timeout =
                context.storeTimeout().compareTo(MOST_TO_CONNECT) < 0 ? context.storeTimeout() : MOST_TO_CONNECT;
        ThreadFactory daemons = DaemonThreads.named(threads);
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(target.servers())
                .sessionTimeoutMs((int) target.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) timeout.toMillis())
                .maxCloseWaitMs(100)
                // Repeating is the engine's part: it knows for how long a request still matters.
                .retryPolicy(new RetryOneTime(1))
                // The addresses in the URI are the ones that are reachable from here; the ensemble's own may not be.
                .ensembleTracker(false)
                .threadFactory(daemons)
                .zookeeperFactory(new Factory())
                .zkClientConfig(target.clientConfig());
        String credentials = target.credentials();
        if (credentials != null) {
            builder.authorization("digest", credentials.getBytes(StandardCharsets.UTF_8));
        }
        client = builder.build();
        link = new GivenConnection(client);
    }

    @Override
    public void start(Events events) {
        told = events;
        client.start();
        link.start(events);
    }

    private final class Factory implements ZookeeperFactory {

        @Override
        public ZooKeeper newZooKeeper(String servers, int timeout, Watcher watcher, boolean readOnly) throws Exception {
            return newZooKeeper(servers, timeout, watcher, readOnly, new ZKClientConfig());
        }

        @Override
        public ZooKeeper newZooKeeper(
                String servers, int timeout, Watcher watcher, boolean readOnly, ZKClientConfig config)
                throws Exception {
            ConnectAttempts attempts = new ConnectAttempts(
                    new StaticHostProvider(new ConnectStringParser(servers).getServerAddresses()), context.time());
            Watcher listening = event -> {
                Events events = told;
                if (event.getState() == KeeperState.AuthFailed && events != null) {
                    events.refused();
                }
                watcher.process(event);
            };
            // A handle names its threads after the one that makes it.
            return DaemonThreads.inheritNothing(
                    threads, () -> new EarlyReplyZooKeeper(servers, timeout, listening, readOnly, attempts, config));
        }
    }

    @Override
    public boolean isOwn() {
        return true;
    }

    @Override
    public @Nullable ClockReading connectedSince(ZooKeeper handle) {
        return handle instanceof EarlyReplyZooKeeper own ? own.connectedSince() : null;
    }

    @Override
    public void close() {
        link.close();
        client.close();
    }
}
