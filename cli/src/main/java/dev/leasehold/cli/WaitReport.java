package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A wait report tells, for {@code --verbose}, for which holder a run waits, whenever that has changed. */
final class WaitReport {

    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration FIRST = Duration.ofMillis(300);

    private final Leasehold leasehold;
    private final String name;
    private final Terminal terminal;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "leasehold-cli-report");
        thread.setDaemon(true);
        return thread;
    });
    private String told = "";

    WaitReport(Leasehold leasehold, String name, Terminal terminal) {
        this.leasehold = leasehold;
        this.name = name;
        this.terminal = terminal;
    }

    void start() {
        var unused =
                timer.scheduleWithFixedDelay(this::report, FIRST.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void report() {
        String now;
        try {
            now = words(leasehold.info(name).orElse(null), Owner.here());
        } catch (LockException e) {
            now = "waiting; the store does not answer: " + Escapes.shown(String.valueOf(e.getMessage()));
        } catch (InterruptedException | IllegalStateException e) {
            return;
        }
        if (!now.equals(told) && !now.isEmpty() && !timer.isShutdown()) {
            told = now;
            terminal.say(now);
        }
    }

    static String words(@Nullable LockInfo lock, Owner here) {
        if (lock == null) {
            return "";
        }
        String shown = "waiting for the lock '" + Escapes.shown(lock.name()) + "', ";
        String place = place(lock.waiters(), here);
        if (lock.holder() == null) {
            return shown + "which nobody holds now" + place;
        }
        if (lock.holder().owner().isEmpty()) {
            return shown + "which is kept without a holder"
                    + until(lock.holder().until()) + place;
        }
        if (lock.holders().stream()
                .anyMatch(holder -> Owner.parse(holder.owner()).isSameProcess(here))) {
            return "";
        }
        return shown + "held by " + words(lock.holder()) + others(lock) + place;
    }

    /** Names the holder of the lock, for a sentence; it is looked up once more, so it may be nobody by now. */
    static String holder(Leasehold leasehold, String name) throws InterruptedException {
        try {
            LockInfo lock = leasehold.info(name).orElse(null);
            HolderInfo holder = lock == null ? null : lock.holder();
            return lock == null || holder == null
                    ? "somebody else, who has released it just now"
                    : words(holder) + others(lock);
        } catch (LockException e) {
            return "somebody else";
        }
    }

    private static String words(HolderInfo holder) {
        if (holder.owner().isEmpty()) {
            return "nobody, but kept" + until(holder.until());
        }
        Instant since = holder.since();
        return Owner.parse(holder.owner()).words() + (since == null ? "" : " since " + LockTable.time(since));
    }

    private static String others(LockInfo lock) {
        int others = lock.holders().size() - 1;
        return others == 0 ? "" : " and " + (others == 1 ? "one other" : others + " others");
    }

    private static String until(@Nullable Instant until) {
        return until == null ? "" : " until " + LockTable.time(until);
    }

    private static String place(List<WaiterInfo> waiters, Owner here) {
        return waiters.stream()
                .filter(waiter -> Owner.parse(waiter.owner()).isSameProcess(here))
                .findFirst()
                .map(waiter -> "; place " + waiter.place() + " of " + waiters.size() + " in the queue")
                .orElse("");
    }

    void stop() {
        timer.shutdownNow();
    }
}
