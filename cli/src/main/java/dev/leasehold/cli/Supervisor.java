package dev.leasehold.cli;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.DurationText;
import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A supervisor runs a command on a lease, from its start to the release. It is one thread, which takes one {@link
 * Event} after the other.
 *
 * <p>The lock is released when the command has ended, never before; where it had to be ended for the lock's sake, when
 * all its descendants have ended too. The {@link Guard} ends it; this class only tells it the deadlines.
 */
final class Supervisor {

    /** The guard kills what is left within the grace; if it says nothing for so long after that, it hangs. */
    private static final Duration GUARD_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration GIVING_BACK = Duration.ofSeconds(1);

    private final Lease lease;
    private final RunSettings settings;
    private final BlockingQueue<Event> events;
    private final Terminal terminal;
    private final String mark = new BigInteger(128, new SecureRandom()).toString(36);
    private final long start = System.nanoTime();

    private final Hangups hangups = new Hangups(ProcessSignals.stat());
    private @Nullable Guard guard;
    private @Nullable Deadlines deadlines;
    private long commandStart;
    private @Nullable Integer exitStatus;
    private boolean lost;
    private boolean ended;
    private boolean told;
    private boolean guardDied;
    private boolean guardIsDone;

    Supervisor(Lease lease, RunSettings settings, BlockingQueue<Event> events, Terminal terminal) {
        this.lease = lease;
        this.settings = settings;
        this.events = events;
        this.terminal = terminal;
    }

    /** Runs the command and returns the status to exit with. */
    int run() throws InterruptedException, IOException {
        lease.ended().thenAccept(state -> {
            if (state == LeaseState.LOST) {
                events.add(new Event.Lost());
            }
        });
        return settings.killOnLoss() ? runGuarded() : runUnguarded();
    }

    private int runUnguarded() throws InterruptedException {
        Integer early = statusOfEarlySignal();
        if (early != null) {
            release("the command was not run");
            return early;
        }
        Process command = start(null);
        int status = superviseUntilExit(command);
        release(ended(status));
        return status;
    }

    private int runGuarded() throws InterruptedException, IOException {
        confirm();
        Guard watch = Guard.start(mark, settings.grace(), line -> events.add(new Event.GuardSaid(line)), Map.of());
        guard = watch;
        EndTimes times = EndTimes.of(BootClock.now(), lease.remaining(), settings.grace(), settings.lease());
        watch.watch(times);
        Deadlines told = new Deadlines(lease, settings, watch, times);
        deadlines = told;
        awaitGuard("armed");
        if (guardDied) {
            throw new Failure(
                    ExitStatus.INTERNAL,
                    "the guard process did not start: it needs /bin/sh, awk and grep; the command was not run");
        }
        if (lost) {
            terminal.say("the lock " + shownName() + " was lost before the command could start; it was not run");
            watch.dismiss();
            return ExitStatus.LOST;
        }
        Integer early = statusOfEarlySignal();
        if (early != null) {
            guardIsDone = true;
            watch.dismiss();
            release("the command was not run");
            watch.awaitEnd();
            return early;
        }
        Process command = start(times.termAt());
        watch.watch(command.pid());
        ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "leasehold-cli-deadlines");
            thread.setDaemon(true);
            return thread;
        });
        long validity = Math.min(lease.remaining().toMillis(), settings.lease().toMillis());
        long period = Math.max(20, Math.min(1_000, validity / 20));
        feeder.scheduleWithFixedDelay(told, period, period, TimeUnit.MILLISECONDS);

        int status = superviseUntilExit(command);
        feeder.shutdownNow();
        return finish(watch, command, status);
    }

    /**
     * Renews a lease that is short. A lock that was handed over to us is ours for a short time only, until the first
     * renewal.
     */
    private void confirm() throws InterruptedException {
        if (lease.remaining().compareTo(settings.lease().dividedBy(2)) >= 0) {
            return;
        }
        try {
            lease.extend(settings.lease());
        } catch (StoreUnavailableException e) {
            // Then the short time it is; the guard knows it.
        }
    }

    private long killAt() {
        return Objects.requireNonNull(deadlines, "the guard's deadlines").killAt();
    }

    /**
     * Returns the status for a signal that came before there was a command, since it is meant for nobody but us; null
     * if there was none.
     */
    private @Nullable Integer statusOfEarlySignal() {
        for (Event event : events) {
            if (event instanceof Event.Signalled signal) {
                return ExitStatus.SIGNALLED + signal.number();
            }
        }
        return null;
    }

    private Process start(@Nullable Long startBefore) {
        Process command;
        ProcessSignals.listenForCommand(events::add);
        try {
            command = settings.command().start(lease.name(), lease.token(), lease.slot(), mark, startBefore);
        } catch (IOException e) {
            throw new Failure(ExitStatus.NOT_EXECUTABLE, "the command could not be started: " + e.getMessage());
        }
        commandStart = System.nanoTime();
        command.onExit().thenAccept(process -> events.add(new Event.Exited(process.exitValue())));
        return command;
    }

    private int superviseUntilExit(Process command) throws InterruptedException {
        while (exitStatus == null) {
            handle(events.take(), command);
        }
        return exitStatus;
    }

    private void handle(Event event, Process command) throws InterruptedException {
        if (event instanceof Event.Exited exited) {
            exitStatus = exited.status();
        } else if (event instanceof Event.Signalled signal) {
            Duration age = Duration.ofNanos(System.nanoTime() - commandStart);
            boolean has = signal.name().equals("HUP")
                    ? hangups.commandHasIt(ProcessSignals.stat(), System.nanoTime())
                    : ProcessSignals.commandHasIt(signal.name(), age, ProcessSignals.terminalDelivers());
            if (!has) {
                ProcessSignals.send(signal.name(), command);
            }
        } else if (event instanceof Event.Lost) {
            onLoss();
        } else if (event instanceof Event.GuardSaid said) {
            boolean guarded = !guardDied;
            hear(said.line());
            if (guardDied && guarded) {
                terminal.say("the guard process has died; ending the command");
                endWithoutGuard(command, settings.grace());
            }
        }
    }

    /**
     * Ends the command in the guard's place: SIGTERM now, SIGKILL after the grace, but before the lease ends; at once
     * if it is lost. Events are taken meanwhile.
     */
    private void endWithoutGuard(Process command, Duration grace) throws InterruptedException {
        ProcessTree tree = new ProcessTree(mark, command.toHandle());
        long graceEnd = BootClock.now() + EndTimes.hundredths(grace);
        boolean isThere = tree.terminate();
        while (isThere) {
            Event event = events.poll(20, TimeUnit.MILLISECONDS);
            if (event != null) {
                handle(event, command);
            }
            long killAt = Math.min(graceEnd, killAt());
            isThere = BootClock.now() >= killAt ? tree.kill() : tree.isThere();
        }
    }

    private void onLoss() {
        lost = true;
        if (guard == null) {
            terminal.say("the lock " + shownName() + " is lost; the command goes on, as --on-loss ignore says");
        } else if (!ended) {
            tell("is lost; ending the command");
            guard.endCommand();
        }
    }

    private void hear(String line) {
        switch (line) {
            case "term" -> {
                if (!ended && !lost) {
                    tell(why() + "; ending the command");
                }
                ended = true;
            }
            case "dead" -> guardIsDone = true;
            case "gone" -> guardDied = !guardIsDone;
            default -> {}
        }
    }

    private int finish(Guard watch, Process command, int status) throws InterruptedException {
        if (!guardDied && !lost) {
            watch.sync();
            awaitGuard("synced");
        }
        if (lost && !told) {
            tell("was lost; " + ended(status));
        }
        if (guardDied) {
            endWithoutGuard(command, settings.grace());
            boolean held = !lost && release(ended(status));
            return held ? ExitStatus.INTERNAL : ExitStatus.LOST;
        }
        if (!lost && !ended) {
            guardIsDone = true;
            watch.dismiss();
            boolean held = release(ended(status));
            watch.awaitEnd();
            return held ? status : ExitStatus.LOST;
        }
        watch.endCommand();
        awaitGuard("dead");
        if (guardDied) {
            endWithoutGuard(command, Duration.ZERO);
        }
        if (!lost) {
            giveBack();
        }
        return ExitStatus.LOST;
    }

    /**
     * Gives the lock back while the lease is nearly over. If the store cannot be reached any more, the lease ends by
     * itself.
     */
    private void giveBack() throws InterruptedException {
        long releaseTimeout = Math.max(lease.remaining().toNanos(), GIVING_BACK.toNanos());
        try {
            lease.releaseAsync().get(releaseTimeout, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Nobody holds it longer than it would have been held.
        }
    }

    /**
     * Waits until the guard has said something, is gone, or hangs; then it counts as gone. Signals that come meanwhile are
     * kept for {@link #statusOfEarlySignal}.
     */
    private void awaitGuard(String awaited) throws InterruptedException {
        List<Event> kept = new ArrayList<>();
        long end = System.nanoTime() + settings.grace().plus(GUARD_TIMEOUT).toNanos();
        boolean said = awaited.equals("dead") && guardIsDone;
        while (!said && !guardDied) {
            Event event = events.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (event == null) {
                guardDied = true;
            } else if (event instanceof Event.GuardSaid line) {
                hear(line.line());
                said = line.line().equals(awaited);
            } else if (event instanceof Event.Lost) {
                lost = true;
            } else {
                kept.add(event);
            }
        }
        events.addAll(kept);
    }

    /** Returns whether the lock was held until now, as far as is known. */
    private boolean release(String what) throws InterruptedException {
        boolean wasValid = lease.isValid();
        try {
            if ((exitStatus == null || settings.command().hasNotRun())
                    && settings.forgo().end(lease)) {
                return wasValid;
            }
            if (lease.release() == LeaseState.RELEASED) {
                return true;
            }
        } catch (LockException e) {
            // The command has run under the lock, whatever the store answers to the release.
            terminal.say(what + ", but the lock " + shownName() + " could not be released and stays taken for up to "
                    + DurationText.of(settings.lease()) + ": " + Escapes.lines(String.valueOf(e.getMessage())));
            return wasValid;
        }
        if (settings.killOnLoss() && !ended) {
            terminal.say("the lock " + shownName() + " was lost before it was released; " + what);
        }
        return false;
    }

    private static String ended(int status) {
        return "the command has ended with status " + status;
    }

    private void tell(String what) {
        terminal.say("the lock " + shownName() + ' ' + what);
        told = true;
    }

    private String why() {
        Duration held = Duration.ofNanos(System.nanoTime() - start);
        return held.plus(settings.lease()).compareTo(settings.maxHold()) >= 0
                ? "has been held for --max-hold"
                : "could not be renewed in time";
    }

    private String shownName() {
        return "'" + Escapes.shown(lease.name()) + "'";
    }
}
