package dev.leasehold.engine;

import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import dev.leasehold.engine.queue.Hold;
import dev.leasehold.engine.queue.HoldWatcher;
import dev.leasehold.engine.threads.BodyInterrupter;
import dev.leasehold.internal.SerialExecutor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lease watcher holds the listeners of one lease, and the body that is to be interrupted when it is lost. The hold refers
 * to the watcher; the watcher refers to the lease object weakly only, so that a dropped one is noticed.
 */
public final class LeaseWatcher implements HoldWatcher {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final WeakReference<HeldLease> lease;
    private final Hold hold;
    private final QueueRunner runner;
    private final Client client;
    /**
     * Guards the rest, so that each listener gets each change that comes after it was added, in order. Never held while
     * users' code runs.
     */
    private final ReentrantLock guard = new ReentrantLock();

    private List<LeaseListener> listeners = List.of();
    private @Nullable SerialExecutor notifications;
    private @Nullable BodyInterrupter body;
    private @Nullable Runnable follower;
    private LeaseState last = LeaseState.HELD;

    private volatile boolean attended;

    LeaseWatcher(HeldLease lease, Hold hold, QueueRunner runner, Client client) {
        this.lease = new WeakReference<>(lease);
        this.hold = hold;
        this.runner = runner;
        this.client = client;
    }

    @Override
    public boolean isReferenced() {
        return lease.get() != null;
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
    }

    /** Has a task of the engine run after each change from now on. Keeps the lease object referenced. */
    public void follow(Runnable look) {
        attended = true;
        guard.lock();
        try {
            follower = look;
        } finally {
            guard.unlock();
        }
    }

    void add(LeaseListener listener) {
        Objects.requireNonNull(listener, "listener");
        attended = true;
        guard.lock();
        try {
            List<LeaseListener> more = new ArrayList<>(listeners);
            more.add(listener);
            listeners = List.copyOf(more);
            if (last.isFinal()) {
                tell(List.of(listener), last);
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
                known.execute(() -> listener.onState(lease(), state));
            } catch (Error e) {
                // No thread can be made for it. It gets this before the next change; the lease does not depend on it.
                LOG.log(Level.WARNING, "a listener of '" + hold.lock() + "' cannot be told just now", e);
            }
        }
    }

    private HeldLease lease() {
        HeldLease known = lease.get();
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

    /** Notes that somebody waits for the lease's end, so that a loss does not go unnoticed. */
    public void attend() {
        attended = true;
    }

    boolean isAttended() {
        return attended;
    }
}
