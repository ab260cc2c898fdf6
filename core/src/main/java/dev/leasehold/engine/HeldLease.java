package dev.leasehold.engine;

import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.observation.ObservedCall;
import dev.leasehold.engine.queue.Asker;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.queue.Extension;
import dev.leasehold.engine.queue.Hold;
import dev.leasehold.engine.queue.Loss;
import dev.leasehold.engine.threads.BodyInterrupter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Grant;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A held lease is a hold as its caller sees it. The engine refers to it weakly only, so that it notices when the object was
 * dropped.
 */
public final class HeldLease implements Lease, ScopedLeases {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final long CLOSE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Hold hold;
    private final QueueRunner runner;
    private final Client client;
    private final LeaseWatcher watcher;

    HeldLease(Hold hold, QueueRunner runner, Client client, @Nullable Asker asker) {
        this.hold = hold;
        this.runner = runner;
        this.client = client;
        this.watcher = new LeaseWatcher(this, hold, runner, client, asker);
    }

    HeldLease(Hold hold, QueueRunner runner, Client client, LeaseWatcher watcher) {
        this.hold = hold;
        this.runner = runner;
        this.client = client;
        this.watcher = watcher;
    }

    public LeaseWatcher watcher() {
        return watcher;
    }

    public Hold hold() {
        return hold;
    }

    @Override
    public String name() {
        return watcher.ownName();
    }

    @Override
    public long token() {
        return hold.token();
    }

    @Override
    public LeaseState state() {
        return look();
    }

    /**
     * Returns the state by the clocks. If they show something that the engine does not know yet, the engine is notified.
     */
    public LeaseState look() {
        LeaseState state = hold.state(client.time().now());
        if (state == LeaseState.UNCONFIRMED || (state == LeaseState.LOST && !hold.ended.isDone())) {
            runner.post(new Event.Look());
        }
        return state;
    }

    @Override
    public boolean isContended() {
        return hold.isAwaited() && look().isValid();
    }

    @Override
    public Duration remaining() {
        look();
        return hold.remaining(client.time().now());
    }

    @Override
    public void ensureValid() {
        LeaseState state = state();
        if (!state.isValid()) {
            throw lost(state);
        }
    }

    /** Makes the exception for a hold that is not valid. */
    public LeaseLostException lost(LeaseState state) {
        Loss loss = state == LeaseState.LOST ? hold.loss : null;
        String reason = switch (state) {
            case RELEASED -> "it was released";
            case UNCONFIRMED ->
                "the machine was suspended or a clock was set, and the store " + client
                        + " has not confirmed the lease since";
            default ->
                hold.isAbandoned()
                        ? "the client was closed while it was held; it is not renewed any more, and somebody else may hold it"
                                + " once its lease has run out in the store " + client
                        : (loss == null
                                        ? "its lease ran out, was broken, or was lost by the store " + client
                                        : loss.why())
                                + "; somebody else may hold it. Do not rely on what was done since";
        };
        return new LeaseLostException(name(), token(), reason, loss == null ? null : loss.failure());
    }

    @Override
    public Duration extend(Duration duration) throws InterruptedException {
        client.checkLease(duration);
        Extension extension = new Extension(duration);
        if (!runner.post(new Event.Extend(hold, extension))) {
            throw lost(state());
        }
        client.await(
                extension.outcome,
                () -> "the extension of '" + hold.lock() + "'; the lease is " + look() + " for another " + remaining());
        return remaining();
    }

    @Override
    public boolean isExclusive() {
        return hold.share() == Claim.EXCLUSIVE;
    }

    @Override
    public OptionalInt slot() {
        return hold.slot() == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(hold.slot());
    }

    @Override
    public void downgrade() throws InterruptedException {
        if (Claim.hasSlots(hold.share())) {
            throw new IllegalStateException("the lease of '" + name() + "' with token " + token()
                    + " is a permit of a semaphore: only a writer becomes a reader");
        }
        if (hold.isOwned()) {
            throw new IllegalStateException("the lease of '" + name() + "' with token " + token()
                    + " belongs to a re-entrant lock, which is exclusive: take readWriteLock(name).write() for a lease that"
                    + " is to be downgraded");
        }
        Extension extension = hold.downgrade();
        if (extension == null) {
            if (!isExclusive()) {
                return;
            }
            client.checkDowngrade();
            extension = new Extension(hold.options().leaseDuration());
            if (!runner.post(new Event.Downgrade(hold, extension))) {
                throw lost(state());
            }
        }
        client.await(
                extension.outcome,
                () -> "the downgrade of '" + name()
                        + "'; it is a reader's from now on, which goes on to be sent; the lease is " + look()
                        + " for another " + remaining());
    }

    @Override
    public void addListener(LeaseListener listener) {
        watcher.add(listener);
    }

    @Override
    public void removeListener(LeaseListener listener) {
        watcher.remove(listener);
    }

    @Override
    public CompletionStage<LeaseState> ended() {
        return watcher.ended();
    }

    /**
     * Has the hold count as begun now, with other options, and returns when that is as good as a fresh lease: at once, or
     * when a longer lease than it has was confirmed.
     */
    public CompletableFuture<?> beginAnew(LockOptions options) {
        Extension extension = new Extension(
                options.minHold().compareTo(options.leaseDuration()) > 0 ? options.minHold() : options.leaseDuration());
        boolean confirm = !options.autoRenew() || options.minHold().compareTo(options.leaseDuration()) > 0;
        if (!runner.post(new Event.BeginAnew(hold, options, confirm ? extension : null)) || !confirm) {
            extension.outcome.complete(null);
        }
        return extension.outcome;
    }

    /** Ends the hold and notifies the engine, without waiting. */
    public void end() {
        endHold();
        if (watcher.observed() != null) {
            hold.released.whenComplete((state, unanswered) -> tellEnd(false));
        }
    }

    private void endHold() {
        ObservedCall observed = watcher.observed();
        if (hold.end(client.time().now()) && observed != null) {
            observed.ended();
        }
        runner.post(new Event.EndHold(hold));
    }

    /** Tells observers how the hold has ended, on this thread if that is known already. */
    private void tellEndHere() {
        if (watcher.observed() == null) {
            return;
        }
        if (hold.released.isDone()) {
            tellEnd(true);
        } else {
            hold.released.whenComplete((state, unanswered) -> tellEnd(false));
        }
    }

    /** Tells observers of a hold whose release is settled. One that the store has not answered counts as released. */
    private void tellEnd(boolean here) {
        ObservedCall observed = watcher.observed();
        if (observed != null) {
            boolean answered = !hold.released.isCompletedExceptionally();
            observed.over(answered ? hold.released.join() : LeaseState.RELEASED, here);
        }
    }

    @Override
    public LeaseState release() throws InterruptedException {
        client.runOnCaller(this::endHold);
        client.spin().until(hold.released::isDone);
        try {
            return client.await(
                    hold.released,
                    () -> "the release of '" + hold.lock()
                            + "'; the hold is over, the release goes on in the background");
        } finally {
            tellEndHere();
        }
    }

    @Override
    public CompletableFuture<LeaseState> releaseAsync() {
        end();
        return client.onCallbacks(hold.released);
    }

    @Override
    public void close() {
        close(System.nanoTime());
    }

    /** Closes as one of several, which all began to close at the same time and wait for the store no longer than one. */
    public void close(long begun) {
        client.runOnCaller(this::endHold);
        client.spin().until(hold.released::isDone);
        awaitRelease(begun + CLOSE_WAIT_NANOS);
        tellEndHere();
    }

    /** Waits for the release, also on a thread that is interrupted: the holder has to learn the store's answer. */
    private void awaitRelease(long end) {
        boolean interrupted = false;
        while (!hold.released.isDone()) {
            try {
                hold.released.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                LOG.log(Level.DEBUG, "the release of ''{0}'' goes on in the background", hold.lock());
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Closes the lease, and judges the time under it: returns null if the lock was held until now, as far
     * as is known, else the exception to throw.
     */
    @Override
    public @Nullable LeaseLostException finish() {
        LeaseState before = look();
        close();
        return judge(before);
    }

    @Override
    public void interrupt(BodyInterrupter body) {
        watcher().interrupt(body);
    }

    /**
     * Judges the time under the lease after it was closed: returns null if the lock was held until then, as far as is known,
     * else the exception to throw.
     *
     * @param before the state before it was closed
     */
    public @Nullable LeaseLostException judge(LeaseState before) {
        LeaseState after = look();
        if (after == LeaseState.LOST) {
            return lost(after);
        }
        boolean confirmed = hold.released.isDone() && !hold.released.isCompletedExceptionally();
        return before == LeaseState.UNCONFIRMED && !confirmed ? lost(before) : null;
    }

    @Override
    public String toString() {
        return "Lease[" + hold.lock() + ", token " + token() + ", " + look() + "]";
    }
}
