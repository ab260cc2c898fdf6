package dev.leasehold.engine.observation;

import dev.leasehold.LockOptions;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.ObservedClient;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Observers are those of one client: those that the user has added, and the flight recorder where there is one. While all of
 * them are off, a call makes nothing for them.
 */
public final class Observers {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    /**
     * A source is one observer, and says whether it has any use for a call at this moment.
     *
     * @param observer the observer
     * @param on asked before each call
     */
    public record Source(LeaseholdObserver observer, BooleanSupplier on) {}

    private static final CompletableFuture<?> ASKED = CompletableFuture.completedFuture(true);

    private final List<Source> sources;
    private final ObservedClient client;
    private final TimeSource time;
    private final Executor callbacks;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicIntegerArray complained;

    /**
     * Makes the observers of a client.
     *
     * @param callbacks reports the events that no caller's thread can report; never blocks its caller
     */
    public Observers(List<Source> sources, ObservedClient client, TimeSource time, Executor callbacks) {
        this.sources = List.copyOf(sources);
        this.client = client;
        this.time = time;
        this.callbacks = callbacks;
        this.complained = new AtomicIntegerArray(sources.size());
    }

    /**
     * Tells the observers that a lock is asked for.
     *
     * @param share with how many holders at most the caller would coexist, itself included
     * @param maxWait how long the caller waits for a holder; null for without limit
     * @param here whether to tell them on this thread, which is a caller's
     * @return the call, which passes on to the observers what comes of it; null if no observer wants to know
     */
    public @Nullable ObservedCall ask(
            String namespace, String lock, int share, LockCall.Kind kind, @Nullable Duration maxWait, boolean here) {
        if (!isAnyOn()) {
            return null;
        }
        Duration wait = maxWait == null || maxWait.compareTo(LockOptions.FOREVER) > 0
                ? LockOptions.FOREVER
                : maxWait.isNegative() ? Duration.ZERO : maxWait;
        LockCall call = new LockCall(client, calls.incrementAndGet(), namespace, lock, share, kind, wait);
        @Nullable LeaseholdObserver[] interested = new LeaseholdObserver[sources.size()];
        if (!here) {
            return askLater(call, interested);
        }
        return tellAsked(call, interested) ? new ObservedCall(this, call, interested, time.nanos(), ASKED) : null;
    }

    /** What the engine asks for goes on unobserved where no thread can be had to tell of it. */
    private @Nullable ObservedCall askLater(LockCall call, @Nullable LeaseholdObserver[] interested) {
        try {
            CompletableFuture<?> asked = CompletableFuture.runAsync(() -> tellAsked(call, interested), callbacks);
            return new ObservedCall(this, call, interested, time.nanos(), asked);
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "observers do not hear of " + call, e);
            return null;
        }
    }

    private boolean isAnyOn() {
        for (int i = 0; i < sources.size(); i++) {
            if (sources.get(i).on().getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether any observer wants to know more of a call. */
    private boolean tellAsked(LockCall call, @Nullable LeaseholdObserver[] interested) {
        boolean any = false;
        for (int i = 0; i < interested.length; i++) {
            if (sources.get(i).on().getAsBoolean()) {
                try {
                    interested[i] = sources.get(i).observer().asked(call);
                } catch (Throwable e) {
                    complain(i, e);
                }
                any |= interested[i] != null;
            }
        }
        return any;
    }

    long now() {
        return time.nanos();
    }

    Executor callbacks() {
        return callbacks;
    }

    /** Logs what an observer has thrown, if it is the first that it has. */
    void complain(int observer, Throwable thrown) {
        if (complained.compareAndSet(observer, 0, 1)) {
            LOG.log(
                    Level.WARNING,
                    "the observer "
                            + sources.get(observer).observer().getClass().getName()
                            + " of a Leasehold client has failed; locks do not depend on it. What it throws from now on is"
                            + " not logged",
                    thrown);
        }
    }
}
