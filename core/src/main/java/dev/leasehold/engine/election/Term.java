package dev.leasehold.engine.election;

import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaseState;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.threads.BodyInterrupter;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A term is one candidate's time in office: a lease, up to the margin before its deadline.
 *
 * <p>Why {@link #isInOffice} can be believed: it asks the hold, which compares its deadline with the clocks at that moment,
 * so it is false before the store can give the lease to anybody else, whatever thread or timer is late. The margin only
 * makes it false earlier. The first to find the time up (a caller, the timer, or the engine on a change of the lease) ends
 * the term with a compare-and-set. Nothing undoes that, so a renewal that comes in later prolongs the lease and not the
 * term.
 *
 * <p>The lease outlives the term, in three steps: from the end of the term on it is not renewed; when the work has ended
 * and all listeners have returned, it is given back; if they never do, it runs out.
 */
final class Term {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final long RELEASE_WAIT_SECONDS = 1;

    private static final int MARGIN_SHARE = 3;

    private final HeldLease lease;
    private final TimeSource time;
    private final long marginNanos;
    private final Consumer<Term> whenOver;
    private final AtomicBoolean over = new AtomicBoolean();

    /** Guards the rest. No other object but the scheduler is called while it is held. */
    private final Guard guard = new Guard();

    private TimeSource.@Nullable Timer timer;
    private @Nullable BodyInterrupter work;

    /** Completes when the listeners' calls for the election have been submitted. */
    final CompletableFuture<@Nullable Void> announced = new CompletableFuture<>();

    /** Completes when all listeners have returned from their calls for the end. */
    final CompletableFuture<@Nullable Void> endAnnounced = new CompletableFuture<>();

    /** Completes when the work has ended. */
    final CompletableFuture<@Nullable Void> workEnded = new CompletableFuture<>();

    /** Completes when the lease is being given back. */
    final CompletableFuture<?> givenBack;

    Term(HeldLease lease, ElectionOptions options, TimeSource time, Consumer<Term> whenOver) {
        this.lease = lease;
        this.time = time;
        this.marginNanos = options.margin().toNanos();
        this.whenOver = whenOver;
        this.givenBack = CompletableFuture.allOf(workEnded, endAnnounced).thenRun(lease::end);
    }

    /** Begins to watch the lease. The term may be over when this returns. */
    void begin() {
        LOG.log(Level.INFO, "this process leads ''{0}'', with token {1}", lease.name(), Long.toString(lease.token()));
        lease.watcher().follow(this::watch);
        watch();
    }

    HeldLease lease() {
        return lease;
    }

    boolean isOver() {
        return over.get();
    }

    boolean isInOffice() {
        if (over.get()) {
            return false;
        }
        LeaseState state = lease.look();
        if (nanosLeft(time.now()) <= 0) {
            end(whyOver(state));
            return false;
        }
        return state.isValid();
    }

    /**
     * Returns how long the term lasts if nothing more is heard: to the margin before the deadline. The margin counts for at
     * most a third of the validity, so the term does not end before the renewal is late. In doubt nobody is in office; only
     * the store can say whether the wall clock was set or the machine slept, so it is the monotonic clock that ends the
     * term then, or the hold does, which is lost when its doubt has lasted for too long.
     */
    private long nanosLeft(ClockReading now) {
        LeaseState state = lease.hold().state(now);
        Validity validity = lease.hold().validity();
        if (state.isFinal() || validity == null) {
            return 0;
        }
        long left = state == LeaseState.UNCONFIRMED ? validity.nanosLeft(now.nanos()) : validity.nanosLeft(now);
        return left - Math.min(marginNanos, validity.length() / MARGIN_SHARE);
    }

    /** Ends the term if it is over, else comes back when it will be over unless something is heard. */
    private void watch() {
        lease.look(); // If this begins a doubt, the engine asks the store, and knows when it has lasted for too long.
        guard.lock();
        try {
            TimeSource.Timer armed = timer;
            if (armed != null) {
                armed.cancel();
            }
            if (over.get()) {
                return;
            }
            long left = nanosLeft(time.now());
            if (left > 0) {
                timer = time.schedule(Duration.ofNanos(left), this::watch);
                return;
            }
        } finally {
            guard.unlock();
        }
        end(whyOver(lease.look()));
    }

    private String whyOver(LeaseState state) {
        return state.isFinal() ? lease.lost(state).reason() : "the store has not confirmed its lease in time";
    }

    /** Has the work interrupted when the term is over, at once if it is over already. */
    void interrupt(BodyInterrupter running) {
        guard.lock();
        try {
            work = running;
        } finally {
            guard.unlock();
        }
        if (over.get()) {
            running.interrupt();
        }
    }

    /** Ends the term; returns false if it was over. */
    boolean end(String why) {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        LOG.log(
                Level.INFO,
                "this process leads ''{0}'' no longer (token {1}): {2}",
                lease.name(),
                Long.toString(lease.token()),
                why);
        lease.hold().retire();
        BodyInterrupter running;
        guard.lock();
        try {
            TimeSource.Timer armed = timer;
            if (armed != null) {
                armed.cancel();
            }
            running = work;
        } finally {
            guard.unlock();
        }
        if (running != null) {
            running.interrupt();
        }
        lease.watcher().demoted();
        whenOver.accept(this);
        return true;
    }

    /** Waits for a moment until the store has answered the release of the term's lease. Keeps an interrupt. */
    void awaitRelease() {
        try {
            givenBack.thenCompose(done -> lease.hold().released).get(RELEASE_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.DEBUG, "the office ''{0}'' is given back in the background", lease.name());
        }
    }
}
