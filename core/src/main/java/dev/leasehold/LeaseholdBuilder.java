package dev.leasehold;

import dev.leasehold.engine.Client;
import dev.leasehold.engine.ClientSettings;
import dev.leasehold.engine.ClientView;
import dev.leasehold.engine.DroppedClients;
import dev.leasehold.engine.Stores;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** A builder collects the settings of a client. Not thread-safe. */
public final class LeaseholdBuilder {

    private final ClientSettings.Draft draft = new ClientSettings.Draft();

    LeaseholdBuilder() {}

    /**
     * Sets the store by its URI; settings in the URI's query are taken as if set here.
     *
     * @param uri the store's URI, as for {@link Leasehold#connect}
     * @return this
     * @throws IllegalArgumentException as for {@link Leasehold#connect}
     */
    public LeaseholdBuilder uri(String uri) {
        return uri(uri, Map.of());
    }

    /**
     * Sets the store by its URI and by options beside it, which need no encoding: each counts as if it stood in the
     * URI's query as {@code leasehold.NAME=VALUE}. Use it for values that should not be seen where URIs are seen, as
     * {@code Map.of("password", secret)} for the stores that take one.
     *
     * @param uri the store's URI, as for {@link Leasehold#connect}
     * @param options values by names, the names without {@code leasehold.}
     * @return this
     * @throws IllegalArgumentException as for {@link Leasehold#connect}, or if an option stands in the URI too
     */
    public LeaseholdBuilder uri(String uri, Map<String, String> options) {
        Stores.apply(uri, options, draft);
        return this;
    }

    /**
     * Sets the store.
     *
     * @param store the store, for example one that a module's factory method has made
     * @return this
     */
    public LeaseholdBuilder store(StoreFactory store) {
        draft.store(store);
        return this;
    }

    /**
     * Sets the namespace, which keeps the lock names of different users of one store apart. None by default.
     *
     * @param namespace empty for none, else 1 to 64 of {@code A-Z a-z 0-9 . _ -}
     * @return this
     * @throws IllegalArgumentException if it has another form
     */
    public LeaseholdBuilder namespace(String namespace) {
        draft.namespace(namespace);
        return this;
    }

    /**
     * Sets a few words about the client, shown to those who ask who holds a lock.
     *
     * @param label at most 200 characters
     * @return this
     * @throws IllegalArgumentException if it is longer
     */
    public LeaseholdBuilder label(String label) {
        draft.label(label);
        return this;
    }

    /**
     * Sets the executor on which listeners and dependent actions of futures run. By default they run on daemon threads
     * of the client, up to 16 at a time: enough for looks and notes, not for work. A task that blocks or takes long belongs
     * on an executor of yours, here or in {@code thenAcceptAsync}; else others wait behind it, the completion of an
     * acquisition included. The engine never depends on it: with a blocked executor locks are still granted, renewed
     * and lost in time.
     *
     * @param executor the executor; never shut down by the client
     * @return this
     */
    public LeaseholdBuilder executor(Executor executor) {
        draft.executor(executor);
        return this;
    }

    /**
     * Adds an observer, which sees what the client's calls for locks come to. None by default; costs nothing then.
     *
     * @param observer the observer; of several, each sees everything
     * @return this
     */
    public LeaseholdBuilder observer(LeaseholdObserver observer) {
        draft.observer(observer);
        return this;
    }

    /**
     * Sets the store timeout: how long an unreachable store is waited for by callers that have not set a limit of their
     * own, and by all until it has answered for the first time. 10 s by default.
     *
     * @param timeout 10 ms to 1 hour
     * @return this
     * @throws IllegalArgumentException if it is out of that range
     */
    public LeaseholdBuilder storeTimeout(Duration timeout) {
        draft.storeTimeout(timeout);
        return this;
    }

    /**
     * Sets how often a lock may be passed on to the next caller of this process without going back to the store. 64 by default.
     *
     * @param count 0 to 64
     * @return this
     * @throws IllegalArgumentException if it is out of that range
     */
    public LeaseholdBuilder localHandOvers(int count) {
        draft.localHandOvers(count);
        return this;
    }

    /**
     * Sets the options of locks for which none are given.
     *
     * @param options the options
     * @return this
     */
    public LeaseholdBuilder options(LockOptions options) {
        draft.options(options);
        return this;
    }

    /**
     * Sets the time source, for tests. The system's by default. With another one, an {@link #executor} is called
     * directly by whichever thread of the client has something to run on it, so that a test sees the same order each
     * time.
     *
     * @param time the time; never closed by the client
     * @return this
     */
    public LeaseholdBuilder timeSource(TimeSource time) {
        draft.time(time);
        return this;
    }

    /**
     * Sets the source of the client's id and of the jitter of its intervals, for tests that can be repeated. A {@link
     * java.security.SecureRandom} by default; ids must be unique, so use another one in tests only.
     *
     * @param random the source
     * @return this
     */
    public LeaseholdBuilder random(RandomGenerator random) {
        draft.random(random);
        return this;
    }

    /**
     * Makes the client. Connects on first use.
     *
     * @return the client, to be closed by the caller
     * @throws IllegalStateException if no store was given
     * @throws IllegalArgumentException if the store does not grant leases as long as the default options ask for
     */
    public Leasehold build() {
        Client client = new Client(draft.settings());
        Leasehold made = new Leasehold(new ClientView(client));
        DroppedClients.watch(made, client, Leasehold.class.getName());
        return made;
    }
}
