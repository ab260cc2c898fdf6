package dev.leasehold.test;

import dev.leasehold.internal.DaemonThreads;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Passing time is a thread that moves the time for as long as another one waits, a thousand times as fast as real time at
 * most.
 */
final class PassingTime {

    private static final Duration STEP = Duration.ofMillis(100);
    private static final long STEP_WAIT_NANOS = 100_000;

    private final VirtualTime time;
    private final Thread waiting;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile boolean stopped;

    private PassingTime(VirtualTime time, Thread waiting) {
        this.time = time;
        this.waiting = waiting;
    }

    static PassingTime whileThisThreadWaits(VirtualTime time) {
        PassingTime passing = new PassingTime(time, Thread.currentThread());
        DaemonThreads.named("leasehold-test-time").newThread(passing::move).start();
        return passing;
    }

    private void move() {
        try {
            while (!stopped) {
                State state = waiting.getState();
                if (state == State.WAITING || state == State.TIMED_WAITING) {
                    time.advance(STEP);
                }
                LockSupport.parkNanos(STEP_WAIT_NANOS);
            }
            over.complete(null);
        } catch (RuntimeException | Error e) {
            over.completeExceptionally(e);
        }
    }

    /** Lets the time stand still again; throws any exception that moving it has raised. */
    void end() {
        stopped = true;
        try {
            over.join();
        } catch (CompletionException e) {
            throw new IllegalStateException("what was due while time passed has failed", e.getCause());
        }
    }
}
