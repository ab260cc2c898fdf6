package dev.leasehold.engine.election;

import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.LockName;
import dev.leasehold.engine.Request;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A campaign is one candidate's way into office. It claims the lock, and claims it again after a pause if the store does
 * not answer, until it has won or has withdrawn. The engine itself repeats a claim for as long as the store timeout; so the
 * pause only keeps candidates apart.
 */
final class Campaign {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final long MOST_PAUSE_NANOS = 1_000_000_000L;
    private static final int PAUSE_SHARE = 10;

    private final Client client;
    private final LockName name;
    private final LockOptions options;
    private final @Nullable Consumer<LockException> refused;
    private final Guard guard = new Guard();
    private @Nullable Request request;
    private TimeSource.@Nullable Timer pausing;

    /** Completes with the lease on a thread of the engine, or exceptionally; cancelled when withdrawn. */
    final CompletableFuture<HeldLease> won = new CompletableFuture<>();

    /**
     * Makes a campaign that has not claimed anything yet.
     *
     * @param refused gets a refusal that trying again will not change, after which the campaign tries again after a lease;
     *     null to end the campaign with the refusal
     */
    Campaign(Client client, LockName name, LockOptions options, @Nullable Consumer<LockException> refused) {
        this.client = client;
        this.name = name;
        this.options = options;
        this.refused = refused;
    }

    /** Claims the lock after a pause that lets others have their turn. */
    void standAfterPause() {
        long lease = options.leaseDuration().toNanos();
        pause(Math.min(MOST_PAUSE_NANOS, lease / PAUSE_SHARE));
    }

    private void pause(long nanos) {
        long jittered = (long) (nanos * (0.5 + client.settings().random().nextDouble()));
        guard.lock();
        try {
            pausing = client.time().schedule(Duration.ofNanos(jittered), this::hurry);
        } finally {
            guard.unlock();
        }
        if (client.closing().isClosed()) {
            hurry();
        }
    }

    /** Ends a pause. */
    void hurry() {
        guard.lock();
        try {
            TimeSource.Timer armed = pausing;
            if (armed == null) {
                return;
            }
            armed.cancel();
            pausing = null;
        } finally {
            guard.unlock();
        }
        stand();
    }

    void stand() {
        if (won.isDone()) {
            return;
        }
        Request sent;
        try {
            sent = Request.stand(client, name, options);
        } catch (Throwable e) {
            couldNotAsk(e);
            return;
        }
        guard.lock();
        try {
            request = sent;
        } finally {
            guard.unlock();
        }
        sent.whenDone(this::answered);
        if (won.isCancelled()) {
            sent.giveUp();
        }
    }

    private void couldNotAsk(Throwable fault) {
        if (refused == null) {
            won.completeExceptionally(fault);
        } else {
            LOG.log(Level.WARNING, "the candidate for '" + name + "' could not stand, and will stand again", fault);
            standAfterPause();
        }
    }

    private void answered(@Nullable HeldLease lease, @Nullable Throwable failure) {
        if (lease != null) {
            if (!won.complete(lease)) {
                lease.end();
            }
        } else if (failure instanceof StoreUnavailableException) {
            standAfterPause();
        } else if (failure instanceof LockException permanent && refused != null) {
            refused.accept(permanent);
            pause(options.leaseDuration().toNanos());
        } else if (failure != null && !(failure instanceof CancellationException)) {
            won.completeExceptionally(failure);
        }
    }

    /** Gives the campaign up, and leaves nothing in the store. Does nothing if it has ended. */
    void withdraw() {
        if (!won.cancel(false)) {
            return;
        }
        Request sent;
        guard.lock();
        try {
            TimeSource.Timer armed = pausing;
            if (armed != null) {
                armed.cancel();
                pausing = null;
            }
            sent = request;
        } finally {
            guard.unlock();
        }
        if (sent != null) {
            sent.giveUp();
        }
    }
}
