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
 * The listeners of one election. Each is told of a term's beginning and end, once each and in this order, also one that came
 * in the middle; what it was not told the beginning of, it is not told the end of. All that is told goes through one line, so
 * a {@link Registration} is touched by one task at a time.
 */
final class ElectionListeners {

    private static final class Registration {
        private final ElectionListener listener;
        private @Nullable Term told;

        Registration(ElectionListener listener) {
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
    private final List<Registration> registrations = new CopyOnWriteArrayList<>();
    private volatile @Nullable Thread notifying;

    ElectionListeners(Executor callbacks) {
        notifications = SerialExecutor.on(callbacks);
    }

    /** Adds a listener; the term, if there is one, goes on as far as the caller knows. */
    void add(ElectionListener listener, @Nullable Term present) {
        Registration registration = new Registration(listener);
        registrations.add(registration);
        if (present != null) {
            submit(() -> {
                if (!present.isOver()) {
                    registration.elected(present);
                }
            });
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very object, whatever its equals() says
    void remove(ElectionListener listener) {
        for (Registration registration : registrations) {
            if (registration.listener == listener) {
                registrations.remove(registration);
                return;
            }
        }
    }

    void elected(Term term) {
        all(registration -> registration.elected(term));
    }

    /** Completes what is to happen after all have been told; at once if nobody listens. */
    void demoted(Term term, CompletableFuture<@Nullable Void> told) {
        if (all(registration -> registration.demoted(term))) {
            submit(() -> told.complete(null));
        } else {
            told.complete(null);
        }
    }

    /** Whether the calling thread is one that a listener is being told on. */
    boolean isNotifying() {
        return notifying == Thread.currentThread();
    }

    private boolean all(Consumer<Registration> what) {
        boolean any = false;
        for (Registration registration : registrations) {
            submit(() -> what.accept(registration));
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
