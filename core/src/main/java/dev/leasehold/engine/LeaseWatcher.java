package dev.leasehold.engine;

import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one lease, and the body that is to be interrupted when it is lost. The hold refers to this; this refers
 * to the lease object weakly only, so that a dropped one is noticed.
 */
final class LeaseWatcher implements HoldWatcher {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final WeakReference<HeldLease> lease;
    private final Hold hold;
    private final QueueRunner runner;
    private final Client client;
    private final AtomicReference<@Nullable InOrder> inOrder = new AtomicReference<>();
    private volatile @Nullable BodyInterrupter body;
    private volatile boolean attended;
    private volatile LeaseState last = LeaseState.HELD;

    /** Only touched by tasks of {@code inOrder}. */
    private final List<Listening> listeners = new ArrayList<>(0);

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
        last = state;
        BodyInterrupter running = body;
        if (state == LeaseState.LOST && running != null) {
            running.interrupt();
        }
        Executor executor = inOrder.get();
        if (executor != null) {
            executor.execute(() -> tell(state));
        }
    }

    void add(LeaseListener listener) {
        attended = true;
        InOrder fresh = new InOrder(client.callbacks());
        InOrder known = inOrder.compareAndExchange(null, fresh);
        // Read now: what changes from here on is told by tasks of its own, after this one.
        LeaseState state = last;
        (known == null ? fresh : known).execute(() -> {
            Listening listening = new Listening(listener);
            listeners.add(listening);
            if (state.isFinal()) {
                listening.tell(lease(), state);
            }
        });
    }

    private void tell(LeaseState state) {
        HeldLease told = lease();
        for (Listening listening : listeners) {
            listening.tell(told, state);
        }
    }

    private HeldLease lease() {
        HeldLease known = lease.get();
        return known != null ? known : new HeldLease(hold, runner, client, this);
    }

    /** Has a body interrupted when the lease is lost, at once if it is already. */
    void interrupt(BodyInterrupter value) {
        body = value;
        if (last == LeaseState.LOST) {
            value.interrupt();
        }
    }

    /** Notes that somebody follows the lease's fate. */
    void attend() {
        attended = true;
    }

    boolean isAttended() {
        return attended;
    }

    /** A listener, and what it was told last. */
    private static final class Listening {
        private final LeaseListener listener;
        private LeaseState told = LeaseState.HELD;

        Listening(LeaseListener listener) {
            this.listener = listener;
        }

        void tell(HeldLease lease, LeaseState state) {
            if (told == state) {
                return;
            }
            told = state;
            try {
                listener.onState(lease, state);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener of the lease of '" + lease.name() + "' has failed", e);
            }
        }
    }
}
