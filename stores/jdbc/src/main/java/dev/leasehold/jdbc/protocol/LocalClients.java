package dev.leasehold.jdbc.protocol;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Local clients are those of this JVM that have the same file open, so that they hear of each other at once. Thread-safe.
 *
 * <p>It only saves time: a client that is not reached (of another process or class loader) looks at the file itself.
 */
public final class LocalClients {

    /** A local client is another one of this JVM. Its methods return at once. */
    public interface LocalClient {
        String client();

        /** Something of interest to the client has been committed. */
        void nudge();

        /** A lease of the client's was ended by somebody else. */
        void doubt(String lock);
    }

    private static final ConcurrentMap<Object, Set<LocalClient>> BY_FILE = new ConcurrentHashMap<>();

    private LocalClients() {}

    public static void join(Object file, LocalClient client) {
        BY_FILE.compute(file, (key, known) -> {
            Set<LocalClient> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(client);
            return all;
        });
    }

    public static void leave(Object file, LocalClient client) {
        BY_FILE.computeIfPresent(file, (key, known) -> {
            known.remove(client);
            return known.isEmpty() ? null : known;
        });
    }

    public static void tell(Object file, List<TxContext.Notification> notifications) {
        if (notifications.isEmpty()) {
            return;
        }
        for (LocalClient client : BY_FILE.getOrDefault(file, Set.of())) {
            for (TxContext.Notification item : notifications) {
                if (!item.client().equals(client.client())) {
                    continue;
                }
                if (item instanceof TxContext.Notification.Broken broken) {
                    client.doubt(broken.lock());
                } else {
                    client.nudge();
                }
            }
        }
    }
}
