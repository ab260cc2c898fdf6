package dev.leasehold.engine.observation;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An observed call tells the observers of one call what comes of it: its outcome, and what happens to its hold.
 *
 * <p>Why the order is right. The thread that first takes the outcome from {@link Phase#ASKED} reports it, so it is
 * reported once. Events of the hold form a queue, which is worked off by one thread at a time. It begins as if a thread
 * were at work, and the thread that has reported {@code acquired} goes on with what has come meanwhile: so nothing of a
 * hold is reported before. The first end in the queue is reported, and nothing after it.
 *
 * <p>Why the engine never waits. It reports events with {@code here} false, which only adds to the queue, or has an
 * executor work it off. {@code here} is true on callers' threads alone. Where the engine itself asks, the executor tells the
 * observers of that as well, and has to be done with it before it reports the outcome.
 */
public final class ObservedCall {

    private enum Phase {
        ASKED,
        ACQUIRED,
        OVER
    }

    /** A waiting event is the newest of those that wait, with those before it. */
    private record Waiting(
            @Nullable Runnable event, @Nullable Waiting before) {}

    /** A thread is at work, and nothing waits. */
    private static final Waiting AT_WORK = new Waiting(null, null);

    private final Observers all;
    private final LockCall call;
    private final @Nullable LeaseholdObserver[] observers;
    private final long askedAt;
    private final CompletableFuture<?> asked;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.ASKED);
    private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>(AT_WORK);

    private volatile long token;
    private volatile int slot = Grant.NO_SLOT;
    private volatile boolean handedOver;
    private volatile @Nullable Long settledAt;
    private volatile long acquiredAt;
    private volatile @Nullable LockGrant grant;
    private volatile @Nullable Long endedAt;
    private @Nullable Long electedAt;

    /**
     * Begins with a call that is made.
     *
     * @param observers those that want to know, once they were asked; null for those that do not
     * @param asked completes when all were
     */
    ObservedCall(
            Observers all,
            LockCall call,
            @Nullable LeaseholdObserver[] observers,
            long askedAt,
            CompletableFuture<?> asked) {
        this.all = all;
        this.call = call;
        this.observers = observers;
        this.askedAt = askedAt;
        this.asked = asked;
    }

    // ---- the outcome ---------------------------------------------------------------------------------------------

    /** Notes what was granted; tells nothing yet, since the caller may give up. */
    public void granted(long grantedToken, int grantedSlot, boolean fromCallerOfThisProcess) {
        token = grantedToken;
        slot = grantedSlot;
        handedOver = fromCallerOfThisProcess;
    }

    /** Notes that the outcome is known, and will be told when an executor has time for that. */
    public void settled() {
        settledAt = all.now();
    }

    private long outcomeAt() {
        Long settled = settledAt;
        return settled == null ? all.now() : settled;
    }

    /** Tells that the caller gets its lease; does nothing if it has given up. */
    public void acquired(boolean here) {
        if (!phase.compareAndSet(Phase.ASKED, Phase.ACQUIRED)) {
            return;
        }
        long now = outcomeAt();
        acquiredAt = now;
        LockGrant got = new LockGrant(
                token,
                slot == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot),
                Duration.ofNanos(now - askedAt),
                handedOver);
        grant = got;
        perform(() -> tell(observer -> observer.acquired(call, got)), here);
    }

    public void busy(boolean here) {
        outcome(here, (observer, waited) -> observer.busy(call, waited));
    }

    public void failed(Throwable failure, boolean here) {
        outcome(here, (observer, waited) -> observer.failed(call, waited, failure));
    }

    public void withdrawn(boolean here) {
        outcome(here, (observer, waited) -> observer.withdrawn(call, waited));
    }

    private void outcome(boolean here, BiConsumer<LeaseholdObserver, Duration> ended) {
        if (!phase.compareAndSet(Phase.ASKED, Phase.OVER)) {
            return;
        }
        Duration waited = Duration.ofNanos(outcomeAt() - askedAt);
        report(() -> tell(observer -> ended.accept(observer, waited)), here);
    }

    private void report(Runnable what, boolean here) {
        if (here && asked.isDone()) {
            what.run();
        } else {
            asked.whenCompleteAsync((any, failure) -> what.run(), all.callbacks());
        }
    }

    // ---- the hold ------------------------------------------------------------------------------------------------

    /** Notes that the holder has ended its hold; whether it was held until then the store will say. */
    public void ended() {
        endedAt = all.now();
    }

    public void renewed(long tookNanos, boolean late) {
        inTurn(
                () -> tellHeld((observer, got) -> observer.renewed(call, got, Duration.ofNanos(tookNanos), late)),
                false);
    }

    public void renewalFailed(long tookNanos, LockException failure) {
        inTurn(
                () -> tellHeld(
                        (observer, got) -> observer.renewalFailed(call, got, Duration.ofNanos(tookNanos), failure)),
                false);
    }

    public void atRisk(LeaseState state) {
        inTurn(() -> tellHeld((observer, got) -> observer.atRisk(call, got, state)), false);
    }

    public void elected() {
        long now = all.now();
        inTurn(
                () -> {
                    if (phase.get() == Phase.ACQUIRED) {
                        electedAt = now;
                        tellHeld((observer, got) -> observer.elected(call, got));
                    }
                },
                false);
    }

    public void demoted() {
        long now = all.now();
        inTurn(() -> tellDemoted(now), false);
    }

    private void tellDemoted(long at) {
        Long since = electedAt;
        if (since != null) {
            electedAt = null;
            tellHeld((observer, got) -> observer.demoted(call, got, Duration.ofNanos(at - since)));
        }
    }

    /** Tells how the hold has ended, if that has not been told yet. */
    public void over(LeaseState state, boolean here) {
        if (phase.get() == Phase.OVER) {
            return;
        }
        Long end = endedAt;
        long at = end == null ? all.now() : end;
        inTurn(
                () -> {
                    tellDemoted(at);
                    Duration held = Duration.ofNanos(at - acquiredAt);
                    tellHeld((observer, got) -> {
                        if (state == LeaseState.LOST) {
                            observer.lost(call, got, held);
                        } else {
                            observer.released(call, got, held);
                        }
                    });
                    phase.set(Phase.OVER);
                },
                here);
    }

    // ---- one at a time -------------------------------------------------------------------------------------------

    private void tellHeld(BiConsumer<LeaseholdObserver, LockGrant> event) {
        LockGrant got = grant;
        if (got != null && phase.get() == Phase.ACQUIRED) {
            tell(observer -> event.accept(observer, got));
        }
    }

    private void tell(Consumer<LeaseholdObserver> event) {
        for (int i = 0; i < observers.length; i++) {
            LeaseholdObserver observer = observers[i];
            if (observer != null) {
                try {
                    event.accept(observer);
                } catch (Throwable e) {
                    all.complain(i, e);
                }
            }
        }
    }

    private void inTurn(Runnable event, boolean here) {
        while (true) {
            Waiting seen = waiting.get();
            if (seen == null) {
                if (waiting.compareAndSet(null, AT_WORK)) {
                    perform(event, here);
                    return;
                }
            } else if (waiting.compareAndSet(seen, new Waiting(event, seen))) {
                return;
            }
        }
    }

    /** Performs an event, and what has come meanwhile, with the turn taken. */
    private void perform(Runnable event, boolean here) {
        report(
                () -> {
                    event.run();
                    goOn();
                },
                here);
    }

    private void goOn() {
        while (!waiting.compareAndSet(AT_WORK, null)) {
            runAll(waiting.getAndSet(AT_WORK));
        }
    }

    private static void runAll(@Nullable Waiting newest) {
        Waiting oldestFirst = null;
        for (Waiting each = newest; each != null; each = each.before()) {
            oldestFirst = new Waiting(each.event(), oldestFirst);
        }
        for (Waiting each = oldestFirst; each != null; each = each.before()) {
            Runnable event = each.event();
            if (event != null) {
                event.run();
            }
        }
    }
}
