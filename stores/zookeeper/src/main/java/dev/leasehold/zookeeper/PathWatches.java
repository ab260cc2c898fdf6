package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Path watches are the watches of one session, which notify the listeners of a node when it changes. Used by tasks of
 * the client's serial executor only.
 *
 * <p>ZooKeeper's client keeps every watcher that it was given until the node changes, and a node may not change for months
 * while others come, wait for a second, and leave. So it is given watchers that are equal where their paths are: of those it
 * keeps one. The listeners are known here alone, and forgotten as soon as they leave.
 */
final class PathWatches {

    private record PathWatcher(PathWatches watches, String path) implements Watcher {

        @Override
        public void process(WatchedEvent event) {
            // Other events are about the connection.
            if (event.getType() != EventType.None) {
                watches.serial.execute(() -> watches.tell(path, event));
            }
        }
    }

    private final SerialExecutor serial;
    private final Map<String, List<Consumer<WatchedEvent>>> listeners = new HashMap<>();

    PathWatches(SerialExecutor serial) {
        this.serial = serial;
    }

    /**
     * Notifies a listener of changes of a node, until it is forgotten: of each change once for each time that the node
     * was read, so it has to be read again after a change.
     *
     * @return what the node is to be read with
     */
    Watcher on(String path, Consumer<WatchedEvent> listener) {
        List<Consumer<WatchedEvent>> all = listeners.computeIfAbsent(path, unknown -> new ArrayList<>());
        if (!all.contains(listener)) {
            all.add(listener);
        }
        return new PathWatcher(this, path);
    }

    void forget(String path, Consumer<WatchedEvent> listener) {
        listeners.computeIfPresent(path, (same, all) -> {
            all.remove(listener);
            return all.isEmpty() ? null : all;
        });
    }

    private void tell(String path, WatchedEvent event) {
        List.copyOf(listeners.getOrDefault(path, List.of())).forEach(each -> each.accept(event));
    }
}
