package dev.leasehold.engine;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.engine.queue.Action;
import dev.leasehold.engine.queue.Caller;
import dev.leasehold.engine.queue.DueTimes;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.queue.Hold;
import dev.leasehold.engine.queue.HoldWatcher;
import dev.leasehold.engine.queue.LocalQueue;
import dev.leasehold.engine.queue.QueueSettings;
import dev.leasehold.engine.threads.Mailbox;
import dev.leasehold.internal.Causes;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue runner drives one local queue: it brings events to it through a mailbox, performs its actions, and wakes it when
 * something is due.
 *
 * <p>After a fault of our own, an Error included, the state of the queue cannot be trusted any more. Then the queue is
 * discarded: its callers fail, its holder learns that the lease is lost, and the lease runs out in the store, since work
 * may go on under it. A new queue begins in its place, and gets the events that had not been handled.
 */
final class QueueRunner implements Mailbox.Consumer<Event>, LockQueues.Inbox {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final String lock;
    private final int share;
    private final Client client;
    private final Store store;
    private final TimeSource time;
    private final LocalQueue queue;
    private final Mailbox<Event> mailbox;

    private @Nullable Throwable fault;
    private @Nullable Event failedAt;
    private @Nullable Queue<Action> discarded;
    private TimeSource.@Nullable Timer timer;
    private long timerAt = DueTimes.NEVER;

    QueueRunner(String lock, int share, Client client, Store store, TimeSource time, QueueSettings settings) {
        this.lock = lock;
        this.share = share;
        this.client = client;
        this.store = store;
        this.time = time;
        this.queue = new LocalQueue(lock, share, settings);
        this.mailbox = new Mailbox<>(this, client.relief);
    }

    @Override
    public int share() {
        return share;
    }

    @Override
    public boolean post(Event event) {
        return mailbox.post(event);
    }

    @Override
    public boolean isIdle() {
        return queue.isIdle();
    }

    @Override
    public void closed() {
        disarm();
        client.retired(lock, this);
    }

    @Override
    public void handle(Event event) {
        try {
            if (event instanceof Event.Wake) {
                disarm();
            }
            ClockReading now = time.now();
            if (event instanceof Event.Join && client.closing().isClosed()) {
                queue.on(new Event.Close(), now).forEach(this::perform);
            }
            queue.on(event, now).forEach(this::perform);
            arm(now.nanos(), event instanceof Event.RenewAnswered);
        } catch (Throwable e) {
            fault = e;
            failedAt = event;
            throw e;
        }
        if (fault != null) {
            throw new IllegalStateException("what the queue wanted done could not be done", fault);
        }
    }

    @Override
    public void failed(Queue<Event> left) {
        LOG.log(
                Level.ERROR,
                "Leasehold has a fault: the queue of '" + lock
                        + "' failed; callers that wait for it here fail, its holder learns"
                        + " that the lease is lost, and its lease runs out in the store " + client,
                fault);
        closed();
        Queue<Action> discarding = discarded;
        if (discarding == null) {
            discarding = new ArrayDeque<>(queue.discard(failedAt, fault, time.now()));
            discarded = discarding;
        }
        doEach(discarding, this::tryToPerform);
        doEach(left, event -> client.post(lock, share, event));
    }

    /** Performs all, even if some fail. Only where no stack is left the remaining ones stay, for another thread. */
    private <T> void doEach(Queue<T> all, Consumer<T> what) {
        for (T each = all.peek(); each != null; each = all.peek()) {
            try {
                what.accept(each);
            } catch (StackOverflowError e) {
                throw e;
            } catch (RuntimeException | Error e) {
                logFault(each, e);
            }
            all.remove();
        }
    }

    /** Performs an action. If that fails the other actions are still performed: a fault in one must not lose a release. */
    private void perform(Action action) {
        try {
            tryToPerform(action);
        } catch (RuntimeException | Error e) {
            fault = e;
            logFault(action, e);
        }
    }

    private void logFault(Object at, Throwable e) {
        LOG.log(Level.ERROR, "Leasehold has a fault: the queue of '" + lock + "' failed at " + at, e);
    }

    /**
     * Sees to it that the queue is woken when something is due. A timer that is too early stays, since most locks are
     * released before it fires; but not after a renewal, whose lock is held for long.
     */
    private void arm(long now, boolean renewed) {
        long due = queue.nextDue();
        if (due == DueTimes.NEVER || (timerAt != DueTimes.NEVER && timerAt - due <= 0 && !renewed)) {
            return;
        }
        disarm();
        timerAt = due;
        timer = time.schedule(Duration.ofNanos(due - now), () -> post(new Event.Wake()));
    }

    private void disarm() {
        TimeSource.Timer armed = timer;
        if (armed != null) {
            armed.cancel();
        }
        timer = null;
        timerAt = DueTimes.NEVER;
    }

    private void tryToPerform(Action action) {
        if (action instanceof Action.SendClaim send) {
            ask(
                    () -> store.claim(send.claim()),
                    answer -> postAnyway(new Event.ClaimAnswered(send.claim().id(), answer)),
                    failure -> postAnyway(new Event.ClaimFailed(send.claim().id(), failure)));
        } else if (action instanceof Action.SendRenew send) {
            renew(send.hold(), send.lease(), () -> store.renew(send.lease(), send.duration()));
        } else if (action instanceof Action.SendDowngrade send) {
            renew(send.hold(), send.lease(), () -> store.downgrade(send.lease(), send.duration()));
        } else if (action instanceof Action.SendRelease send) {
            ask(
                    () -> store.release(send.lease(), send.keepFor()),
                    answer -> post(new Event.ReleaseAnswered(send.lease(), answer)),
                    failure -> post(new Event.CleanupFailed(send.lease().claim(), send.lease(), failure)));
        } else if (action instanceof Action.SendWithdraw send) {
            ask(
                    () -> store.withdraw(lock, send.claim()).thenApply(done -> true),
                    answer -> post(new Event.WithdrawAnswered(send.claim())),
                    failure -> post(new Event.CleanupFailed(send.claim(), null, failure)));
        } else if (action instanceof Action.Give give) {
            give(give.caller(), give.hold(), give.handedOver());
        } else if (action instanceof Action.Refuse refuse) {
            client.log.busy(lock, queue);
            refuse.caller().outcome.complete(null);
        } else if (action instanceof Action.Fail fail) {
            fail.caller().outcome.completeExceptionally(fail.failure());
        } else if (action instanceof Action.Announce announce) {
            announce(announce.hold(), announce.state());
        } else if (action instanceof Action.Await await) {
            HoldWatcher watcher = await.hold().watcher();
            if (watcher != null) {
                watcher.awaited();
            }
        } else if (action instanceof Action.Settle settle) {
            settle(settle);
        } else if (action instanceof Action.AnswerExtension answer) {
            LockException failure = answer.failure();
            if (failure == null) {
                answer.extension().outcome.complete(null);
            } else {
                answer.extension().outcome.completeExceptionally(failure);
            }
        } else if (action instanceof Action.Abandon abandon) {
            LOG.log(
                    Level.WARNING,
                    "the lock ''{0}'' with token {1} was still held when its client was closed: it is not renewed any more,"
                            + " and stays taken in the store {2} until its lease runs out",
                    lock,
                    Long.toString(abandon.hold().token()),
                    client);
            client.closing().leaves(abandon.nanosInStore());
        } else if (action instanceof Action.WaitsForItself waits) {
            LOG.log(
                    Level.WARNING,
                    share == Claim.EXCLUSIVE && waits.hold().share() == Claim.EXCLUSIVE
                            ? "the thread ''{0}'' waits without limit for the lock ''{1}'', whose lease with token {2} was given to this"
                                    + " very thread: unless another one releases it, it waits for ever. A lease is not re-entrant;"
                                    + " reentrantLock(name) is"
                            : "the thread ''{0}'' waits without limit for the lock ''{1}'', and was given the shared lease of it with"
                                    + " token {2} itself: if a waiter before it waits for that lease to end, it waits for"
                                    + " ever unless another thread releases it. A lease is not re-entrant, and a reader does not"
                                    + " become a writer",
                    String.valueOf(waits.hold().waiter()),
                    lock,
                    Long.toString(waits.hold().token()));
        } else if (action instanceof Action.WaitsLong waits) {
            client.log.waitsLong(lock, waits, queue);
        } else if (action instanceof Action.AskQueues ask) {
            client.tell(lock, new Event.Asked(ask.caller()));
        } else if (action instanceof Action.Unrenewed unrenewed) {
            LOG.log(
                    Level.WARNING,
                    "the lock ''{0}'' with token {1} is not renewed any more: {2}; it will run out",
                    lock,
                    Long.toString(unrenewed.hold().token()),
                    unrenewed.why());
        }
    }

    /**
     * Posts an event to a new queue if this one is gone, because anything that a claim has left in the store has to be
     * cleaned up.
     */
    private void postAnyway(Event event) {
        if (!post(event)) {
            client.post(lock, share, event);
        }
    }

    private void renew(@Nullable Hold hold, LeaseId renewed, Supplier<CompletionStage<RenewAnswer>> request) {
        LeaseWatcher watcher =
                hold != null && hold.watcher() instanceof LeaseWatcher own && own.isObserved() ? own : null;
        long askedAt = time.nanos();
        ask(
                request,
                answer -> {
                    if (watcher != null && answer instanceof RenewAnswer.Renewed) {
                        watcher.renewed(time.nanos() - askedAt);
                    }
                    post(new Event.RenewAnswered(renewed, answer, askedAt));
                },
                failure -> {
                    if (watcher != null) {
                        watcher.renewalFailed(time.nanos() - askedAt, failure);
                    }
                    post(new Event.RenewFailed(renewed, failure));
                });
    }

    private void give(Caller caller, Hold hold, boolean handedOver) {
        HeldLease lease = new HeldLease(hold, this, client, caller.asker);
        lease.watcher().granted(handedOver);
        hold.watchedBy(lease.watcher());
        client.log.waited(lock, caller);
        if (!caller.outcome.complete(lease)) {
            hold.notDelivered();
            hold.end(time.now());
            post(new Event.EndHold(hold));
        }
    }

    private void announce(Hold hold, LeaseState state) {
        if (state == LeaseState.LOST && !hold.isAbandoned()) {
            client.log.loss(lock, hold);
        }
        HoldWatcher watcher = hold.watcher();
        if (watcher != null) {
            watcher.stateChanged(state);
        }
    }

    private static void settle(Action.Settle settle) {
        LockException failure = settle.failure();
        if (failure == null) {
            settle.hold().released.complete(settle.state());
        } else {
            settle.hold().released.completeExceptionally(failure);
        }
        settle.hold().ended.complete(settle.state());
    }

    /**
     * Sends a request to the store, which never blocks, and posts the answer from whatever thread it comes in on. Any
     * misbehaviour of a store counts as a failure, so that nobody waits for an answer that cannot come.
     */
    private <T> void ask(Supplier<CompletionStage<T>> question, Consumer<T> answered, Consumer<LockException> failed) {
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(question.get(), "the store's stage");
        } catch (RuntimeException | Error e) {
            stage = CompletableFuture.failedFuture(e);
        }
        stage.whenComplete((answer, failure) -> {
            if (failure != null) {
                failed.accept(lockException(failure));
            } else if (answer == null) {
                failed.accept(lockException(new NullPointerException("the store's answer")));
            } else {
                answered.accept(answer);
            }
        });
    }

    private LockException lockException(Throwable failure) {
        String unfit = Causes.unfit(failure, client.toString());
        if (unfit != null) {
            return new LockException(unfit, failure);
        }
        Throwable cause = Causes.of(failure);
        return cause instanceof LockException known
                ? known
                : new StoreUnavailableException(
                        "the store " + client + " failed unexpectedly; the state of '" + lock + "' there is unknown: "
                                + cause,
                        client.toString(),
                        StoreUnavailableException.Outcome.UNKNOWN,
                        cause);
    }
}
