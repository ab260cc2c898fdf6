package dev.leasehold.cli;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A run is one {@code leasehold run}: it waits for the lock, then has the {@link Supervisor} run the command. */
record Run(
        String name,
        Use use,
        LockOptions options,
        @Nullable Duration maxWait,
        int busyExit,
        boolean verbose,
        RunSettings settings,
        Terminal terminal) {

    private static final Duration CLOSING = Duration.ofSeconds(1);

    /** Returns the status to exit with. The lock is released, or withdrawn from, when this returns. */
    int call(Leasehold leasehold, StoreOption store) throws InterruptedException, IOException {
        int status = ExitStatus.INTERNAL;
        try {
            status = claimAndRun(leasehold, store);
        } finally {
            if (status == ExitStatus.LOST) {
                abandon(leasehold);
            } else {
                leasehold.close();
            }
        }
        return status;
    }

    /**
     * Closes the client without waiting long. A lost lock need not be released; a store that has gone away is not
     * waited for.
     */
    private static void abandon(Leasehold leasehold) throws InterruptedException {
        try {
            leasehold.closeAsync().get(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The process ends.
        }
    }

    private int claimAndRun(Leasehold leasehold, StoreOption store) throws InterruptedException, IOException {
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        DistributedLock lock = use.lock(leasehold, name, options);
        ProcessSignals.listen(events::add);
        CompletableFuture<?> claim = claim(lock, events);
        if (maxWait == null || !maxWait.isZero()) {
            NestedRun.warn(leasehold, name, terminal);
        }
        Event event = verbose ? takeReporting(events, new WaitReport(leasehold, name, terminal)) : events.take();
        if (event instanceof Event.Signalled signal) {
            claim.cancel(false);
            return ExitStatus.SIGNALLED + signal.number();
        } else if (event instanceof Event.Failed failed) {
            throw rethrown(failed.cause());
        } else if (event instanceof Event.Claimed claimed && claimed.lease() != null) {
            return new Supervisor(claimed.lease(), settings(leasehold), events, terminal).run();
        }
        terminal.say("the lock '" + Escapes.shown(name) + "' is held by "
                + (verbose ? WaitReport.holder(leasehold, name) : "somebody else")
                + (maxWait == null || maxWait.isZero() ? "" : ", still after " + DurationText.of(maxWait))
                + "; the command was not run"
                + (verbose ? "" : ". See: leasehold show " + store.arguments() + Escapes.shellWord(name)));
        return busyExit;
    }

    /**
     * Returns the settings, which can forgo a lease. A release would keep the lock for --min-hold; breaking the own
     * lease does not.
     */
    private RunSettings settings(Leasehold leasehold) {
        return options.minHold().isZero()
                ? settings
                : settings.with(lease -> leasehold.breakLock(lease.name(), lease.token()));
    }

    private static Event takeReporting(BlockingQueue<Event> events, WaitReport report) throws InterruptedException {
        report.start();
        try {
            return events.take();
        } finally {
            report.stop();
        }
    }

    private CompletableFuture<?> claim(DistributedLock lock, BlockingQueue<Event> events) {
        if (maxWait == null) {
            CompletableFuture<Lease> future = lock.acquireAsync();
            future.whenComplete((lease, failure) -> events.add(answer(lease, failure)));
            return future;
        }
        CompletableFuture<Optional<Lease>> future = lock.tryAcquireAsync(maxWait);
        future.whenComplete((lease, failure) -> events.add(answer(lease == null ? null : lease.orElse(null), failure)));
        return future;
    }

    private static Event answer(@Nullable Lease lease, @Nullable Throwable failure) {
        return failure == null ? new Event.Claimed(lease) : new Event.Failed(failure);
    }

    private static RuntimeException rethrown(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause instanceof RuntimeException runtime ? runtime : new IllegalStateException(cause);
    }
}
