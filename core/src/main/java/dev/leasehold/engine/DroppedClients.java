package dev.leasehold.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Dropped clients are those that nobody can close any more: their threads and connections stay for as long as the process.
 * They are looked for whenever a client is made.
 */
public final class DroppedClients {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();
    private static final Set<Made> ALL = ConcurrentHashMap.newKeySet();

    /** Refers to the client weakly, so that one that was closed is kept by nothing here. */
    private static final class Made extends PhantomReference<Object> {

        private final WeakReference<Client> client;
        private final String place;

        Made(Object owner, Client client, String place) {
            super(owner, COLLECTED);
            this.client = new WeakReference<>(client);
            this.place = place;
        }
    }

    private DroppedClients() {}

    /**
     * Warns of the clients that were dropped since, and has this one watched.
     *
     * @param owner the object by which the client is closed
     * @param makers what the names of the classes that make clients begin with
     */
    public static void watch(Object owner, Client client, String makers) {
        for (Reference<?> gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
            if (gone instanceof Made made && ALL.remove(made)) {
                warn(made);
            }
        }
        String place = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::toStackTraceElement)
                        .filter(frame -> !frame.getClassName().startsWith(makers)
                                && !frame.getClassName().equals(DroppedClients.class.getName()))
                        .findFirst()
                        .map(StackTraceElement::toString)
                        .orElse("an unknown place"));
        ALL.add(new Made(owner, client, place));
    }

    private static void warn(Made made) {
        Client client = made.client.get();
        if (client != null && !client.closing().isClosed()) {
            LOG.log(
                    Level.WARNING,
                    "a client of the store {0} was dropped without close(): its threads and connections stay. It was made"
                            + " at {1}",
                    client,
                    made.place);
        }
    }
}
