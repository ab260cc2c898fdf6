package dev.leasehold.engine.election;

import dev.leasehold.ElectionListener;
import dev.leasehold.internal.SerialExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Election listeners are those of one election. Each hears of a term's beginning and of its end, once each and in this
 * order, even if it was added in the middle of the term; a listener that has not heard of a beginning does not hear of the
 * end. All calls go through one serial executor, so a {@link Subscription} is touched by one task at a time.
 */
final class ElectionListeners {

    private static final class Subscription {
        private final ElectionListener listener;
        private @Nullable Term told;

        Subscription(ElectionListener listener) {
            this.listener = listener;
        }

        void elected(Term term) {
            if (told != term) {
                told = term;
                listener.elected(term.lease());
            }
        }

        void demoted(Term term) {
            if (told == term) {
                told = null;
                listener.demoted(term.lease());
            }
        }
    }

    private final SerialExecutor notifications;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private volatile @Nullable Thread notifying;

    ElectionListeners(Executor callbacks) {
        notifications = SerialExecutor.on(callbacks);
    }

    /** Adds a listener. The given term, if there is one, has not ended as far as the caller knows. */
    void add(ElectionListener listener, @Nullable Term present) {
        Subscription subscription = new Subscription(listener);
        subscriptions.add(subscription);
        if (present != null) {
            submit(() -> {
                if (!present.isOver()) {
                    subscription.elected(present);
                }
            });
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very object, whatever its equals() says
    void remove(ElectionListener listener) {
        for (Subscription subscription : subscriptions) {
            if (subscription.listener == listener) {
                subscriptions.remove(subscription);
                return;
            }
        }
    }

    void elected(Term term) {
        all(subscription -> subscription.elected(term));
    }

    /** Notifies all listeners of a term's end, and completes a future after that; at once if there is no listener. */
    void demoted(Term term, CompletableFuture<@Nullable Void> told) {
        if (all(subscription -> subscription.demoted(term))) {
            submit(() -> told.complete(null));
        } else {
            told.complete(null);
        }
    }

    /** Returns whether the calling thread is running a listener. */
    boolean isNotifying() {
        return notifying == Thread.currentThread();
    }

    private boolean all(Consumer<Subscription> what) {
        boolean any = false;
        for (Subscription subscription : subscriptions) {
            submit(() -> what.accept(subscription));
            any = true;
        }
        return any;
    }

    private void submit(Runnable what) {
        notifications.execute(() -> {
            notifying = Thread.currentThread();
            try {
                what.run();
            } finally {
                notifying = null;
            }
        });
    }
}
