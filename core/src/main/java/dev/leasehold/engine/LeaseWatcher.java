package dev.leasehold.engine;

import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.engine.observation.ObservedCall;
import dev.leasehold.engine.queue.Asker;
import dev.leasehold.engine.queue.Hold;
import dev.leasehold.engine.queue.HoldWatcher;
import dev.leasehold.engine.threads.BodyInterrupter;
import dev.leasehold.internal.Guard;
import dev.leasehold.internal.SerialExecutor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease watcher holds the listeners of one lease, and the body that is to be interrupted when it is lost. The hold refers
 * to the watcher; the watcher is a weak reference to the lease object, so that a dropped one is noticed.
 */
public final class LeaseWatcher extends WeakReference<HeldLease> implements HoldWatcher {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final Hold hold;
    private final QueueRunner runner;
    private final Client client;
    private final String ownName;
    private final @Nullable ObservedCall observed;

    /**
     * Guards the rest, so that each listener gets each change that comes after it was added, in order. Never held while
     * users' code runs.
     */
    private final Guard guard = new Guard();

    private List<LeaseListener> listeners = List.of();
    private @Nullable SerialExecutor notifications;
    private @Nullable BodyInterrupter body;
    private @Nullable Runnable follower;
    private LeaseState last = LeaseState.HELD;
    private @Nullable CompletionStage<LeaseState> ended;

    LeaseWatcher(HeldLease lease, Hold hold, QueueRunner runner, Client client, @Nullable Asker asker) {
        super(lease);
        this.hold = hold;
        this.runner = runner;
        this.client = client;
        // The asker is not kept: through its outcome it refers to the lease.
        this.ownName = asker == null ? hold.lock() : asker.ownName();
        this.observed = asker instanceof Request request ? request.observed() : null;
    }

    @Override
    public String ownName() {
        return ownName;
    }

    @Override
    public boolean isReferenced() {
        return get() != null;
    }

    @Override
    public void stateChanged(LeaseState state) {
        BodyInterrupter running;
        Runnable following;
        guard.lock();
        try {
            last = state;
            running = body;
            following = follower;
            tell(listeners, state);
        } finally {
            guard.unlock();
        }
        if (state == LeaseState.LOST && running != null) {
            running.interrupt();
        }
        if (following != null) {
            following.run();
        }
        if (observed != null) {
            observe(observed, state);
        }
    }

    private static void observe(ObservedCall observed, LeaseState state) {
        switch (state) {
            case AT_RISK, UNCONFIRMED -> observed.atRisk(state);
            case LOST -> observed.over(state, false);
            case HELD, RELEASED -> {
                // Observers hear of a renewal when it is answered, of a release when it has ended.
            }
        }
    }

    @Nullable ObservedCall observed() {
        return observed;
    }

    /** Notes that the holder leads. */
    public void elected() {
        if (observed != null) {
            observed.elected();
        }
    }

    /** Notes that the holder leads no longer. */
    public void demoted() {
        if (observed != null) {
            observed.demoted();
        }
    }

    /** Notes that the hold is given to its caller. */
    void granted(boolean handedOver) {
        if (observed != null) {
            observed.granted(hold.token(), hold.slot(), handedOver);
        }
    }

    boolean isObserved() {
        return observed != null;
    }

    void renewed(long tookNanos) {
        if (observed != null) {
            observed.renewed(tookNanos, isLate());
        }
    }

    private boolean isLate() {
        guard.lock();
        try {
            return last != LeaseState.HELD;
        } finally {
            guard.unlock();
        }
    }

    void renewalFailed(long tookNanos, LockException failure) {
        if (observed != null) {
            observed.renewalFailed(tookNanos, failure);
        }
    }

    @Override
    public void awaited() {
        guard.lock();
        try {
            submit(listeners, LeaseListener::onContended);
        } finally {
            guard.unlock();
        }
    }

    /** Has a task of the engine run after each change from now on. Keeps the lease object referenced. */
    public void follow(Runnable look) {
        guard.lock();
        try {
            follower = look;
        } finally {
            guard.unlock();
        }
    }

    void add(LeaseListener listener) {
        Objects.requireNonNull(listener, "listener");
        guard.lock();
        try {
            List<LeaseListener> more = new ArrayList<>(listeners);
            more.add(listener);
            listeners = List.copyOf(more);
            if (last.isFinal()) {
                tell(List.of(listener), last);
            } else if (hold.isAwaited()) {
                submit(List.of(listener), LeaseListener::onContended);
            }
        } finally {
            guard.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very object, whatever its equals() says
    void remove(LeaseListener listener) {
        Objects.requireNonNull(listener, "listener");
        guard.lock();
        try {
            List<LeaseListener> fewer = new ArrayList<>(listeners);
            for (int i = 0; i < fewer.size(); i++) {
                if (fewer.get(i) == listener) {
                    fewer.remove(i);
                    break;
                }
            }
            listeners = List.copyOf(fewer);
        } finally {
            guard.unlock();
        }
    }

    private void tell(List<LeaseListener> whom, LeaseState state) {
        submit(whom, (listener, lease) -> listener.onState(lease, state));
    }

    private void submit(List<LeaseListener> whom, BiConsumer<LeaseListener, Lease> what) {
        if (whom.isEmpty()) {
            return;
        }
        SerialExecutor known = notifications;
        if (known == null) {
            known = SerialExecutor.on(client.callbacks());
            notifications = known;
        }
        for (LeaseListener listener : whom) {
            try {
                known.execute(() -> what.accept(listener, lease()));
            } catch (Error e) {
                // No thread can be made for it. It gets this before the next change; the lease does not depend on it.
                LOG.log(Level.WARNING, "a listener of '" + hold.lock() + "' cannot be told just now", e);
            }
        }
    }

    private HeldLease lease() {
        HeldLease known = get();
        return known != null ? known : new HeldLease(hold, runner, client, this);
    }

    /** Has a body interrupted when the lease is lost, at once if it is lost already. */
    public void interrupt(BodyInterrupter value) {
        LeaseState state;
        guard.lock();
        try {
            body = value;
            state = last;
        } finally {
            guard.unlock();
        }
        if (state == LeaseState.LOST) {
            value.interrupt();
        }
    }

    /** Returns one stage for all who ask, since a hold may be asked often; nobody can complete it. */
    CompletionStage<LeaseState> ended() {
        guard.lock();
        try {
            CompletionStage<LeaseState> known = ended;
            if (known == null) {
                known = client.onCallbacks(hold.ended).minimalCompletionStage();
                ended = known;
            }
            return known;
        } finally {
            guard.unlock();
        }
    }
}
