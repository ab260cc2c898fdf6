package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.ClockReading;
import java.util.concurrent.Executor;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** A given connection listens to a Curator client of the user's, and neither starts nor closes it. */
class GivenConnection implements CuratorConnection {

    /** The limit is one more than Curator keeps. */
    private static final int MOST_OLD_ERRORS = 11;

    private static final Executor DIRECTLY = Runnable::run;

    private final CuratorFramework client;
    private @Nullable ConnectionStateListener listener;
    private @Nullable CuratorListener closing;

    GivenConnection(CuratorFramework client) {
        this.client = client;
    }

    @Override
    public void start(Events events) {
        if (client.getState() != CuratorFrameworkState.STARTED) {
            throw new LockException("the given CuratorFramework is " + client.getState()
                    + ": start() it before locks are used, and close it after them; nothing was done");
        }
        ConnectionStateListener added = (source, state) -> changed(state, events);
        listener = added;
        client.getConnectionStateListenable().addListener(added, DIRECTLY);
        listenToClosing(events);
        if (client.getZookeeperClient().isConnected()) {
            changed(ConnectionState.RECONNECTED, events);
        }
    }

    /**
     * Tells that the session is over before its owner closes it: the servers end it then at once, not when they have not heard
     * of it for long. Nobody waits here until all have been told. A view of a client, as {@code usingNamespace} makes it, does not
     * tell.
     */
    private void listenToClosing(Events events) {
        CuratorListener added = (source, event) -> {
            if (event.getType() == CuratorEventType.CLOSING) {
                events.lost();
            }
        };
        try {
            client.getCuratorListenable().addListener(added, DIRECTLY);
            closing = added;
        } catch (UnsupportedOperationException e) {
            // Then the servers tell, after the fact.
        }
    }

    private void changed(ConnectionState state, Events events) {
        switch (state) {
            case CONNECTED, RECONNECTED -> {
                ZooKeeper handle = handle();
                if (handle != null) {
                    events.connected(handle);
                }
            }
            case SUSPENDED, READ_ONLY -> events.suspended();
            case LOST -> events.lost();
        }
    }

    private @Nullable ZooKeeper handle() {
        for (int i = 0; i < MOST_OLD_ERRORS; i++) {
            try {
                return client.getZookeeperClient().getZooKeeper();
            } catch (Exception e) {
                // One of the background errors that Curator has kept for its next caller. Or it is gone again: then
                // what
                // comes next is announced.
            }
        }
        return null;
    }

    @Override
    public boolean isOwn() {
        return false;
    }

    @Override
    public @Nullable ClockReading connectedSince(ZooKeeper handle) {
        return null;
    }

    @Override
    public void close() {
        ConnectionStateListener added = listener;
        if (added != null) {
            client.getConnectionStateListenable().removeListener(added);
        }
        CuratorListener told = closing;
        if (told != null) {
            client.getCuratorListenable().removeListener(told);
        }
    }
}
