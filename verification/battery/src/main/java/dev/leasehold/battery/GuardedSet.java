package dev.leasehold.battery;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A guarded set is the resource of a {@link SetWorkload}: a set of numbers that is read and written as a whole, and counts
 * what became of the updates. Thread-safe.
 *
 * <p>Where tokens are registered, a writer's is refused if it is smaller than any that was registered before, a reader's
 * if it is smaller than a writer's.
 */
final class GuardedSet {

    /**
     * The counts are the outcome: additions that were acknowledged, how many of them are gone, and how many were refused.
     */
    record Counts(long added, long lost, long refused, long reads, long torn) {}

    private final Guard guard;
    private final List<Integer> acknowledged = new ArrayList<>();
    private List<Integer> value = List.of();
    private long writersToken;
    private long readersToken;
    private long refused;
    private long reads;
    private long torn;
    private String lastOpener = "";
    private long opened;
    private long written;
    private long looked;

    GuardedSet(Guard guard) {
        this.guard = guard;
    }

    /** Carries out a writer's first read; returns nothing if its token is refused. */
    synchronized Optional<List<Integer>> open(String client, long token) {
        if (guard == Guard.REGISTERED) {
            if (token < Math.max(writersToken, readersToken)) {
                refused++;
                return Optional.empty();
            }
            writersToken = token;
        }
        lastOpener = client;
        opened++;
        notifyAll();
        return Optional.of(value);
    }

    /** Carries out a writer's write of the numbers that it has read and one more; returns whether it was accepted. */
    synchronized boolean write(long token, List<Integer> read, int added) {
        if (guard != Guard.UNGUARDED && token < Math.max(writersToken, readersToken)) {
            refused++;
            return false;
        }
        if (guard == Guard.WRITES) {
            writersToken = token;
        }
        List<Integer> next = new ArrayList<>(read);
        next.add(added);
        value = List.copyOf(next);
        acknowledged.add(added);
        written++;
        notifyAll();
        return true;
    }

    /** Carries out a reader's read; returns nothing if its token is refused. */
    synchronized Optional<List<Integer>> look(long token) {
        if (guard == Guard.REGISTERED) {
            if (token < writersToken) {
                refused++;
                return Optional.empty();
            }
            readersToken = Math.max(readersToken, token);
        }
        looked++;
        notifyAll();
        return Optional.of(value);
    }

    /** Notes that a reader has read twice in one hold. */
    synchronized void compared(boolean same) {
        reads++;
        torn += same ? 0 : 1;
    }

    synchronized Counts counts() {
        TreeSet<Integer> lost = new TreeSet<>(acknowledged);
        value.forEach(lost::remove);
        return new Counts(acknowledged.size(), lost.size(), refused, reads, torn);
    }

    /** Waits for the next writer's first read, at most so long; returns the client, or nothing. */
    synchronized Optional<String> awaitOpen(long millis) throws InterruptedException {
        long before = opened;
        return awaitMore(millis, () -> opened > before) ? Optional.of(lastOpener) : Optional.empty();
    }

    /**
     * Waits for the next first read of a writer, or any of a reader, at most so long; returns whether there was one.
     */
    synchronized boolean awaitRead(long millis) throws InterruptedException {
        long before = opened + looked;
        return awaitMore(millis, () -> opened + looked > before);
    }

    /** Waits for the next write, at most so long. */
    synchronized void awaitWrite(long millis) throws InterruptedException {
        long before = written;
        awaitMore(millis, () -> written > before);
    }

    private interface Condition {
        boolean holds();
    }

    private boolean awaitMore(long millis, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.holds()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
