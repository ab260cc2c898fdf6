package dev.leasehold.benchmarks.worker;

import java.time.Duration;

/**
 * The shape of a workload says how many threads of how many processes do what with how many locks.
 *
 * @param processes how many there are, each with a client of its own
 * @param threads of each process
 * @param keys how many locks the threads of a process are spread over; all processes use the same ones
 * @param permits of a semaphore
 * @param writers how many of a hundred turns are a writer's
 * @param hold how long a lock is held, asleep
 * @param lease how long leases are, where the library takes that from its user
 */
public record Shape(
        Kind kind, int processes, int threads, int keys, int permits, int writers, Duration hold, Duration lease) {

    /** A kind is the kind of lock that is acquired. */
    public enum Kind {
        MUTEX,
        SEMAPHORE,
        READ_WRITE
    }

    private static final Duration LEASE = Duration.ofSeconds(30);

    public static Shape mutex(int processes, int threads, int keys) {
        return new Shape(Kind.MUTEX, processes, threads, keys, 1, 100, Duration.ZERO, LEASE);
    }

    public static Shape semaphore(int processes, int threads, int permits, Duration hold) {
        return new Shape(Kind.SEMAPHORE, processes, threads, 1, permits, 0, hold, LEASE);
    }

    public static Shape readers(int processes, int threads, int writers, Duration hold) {
        return new Shape(Kind.READ_WRITE, processes, threads, 1, Integer.MAX_VALUE, writers, hold, LEASE);
    }

    public Shape withLease(Duration other) {
        return new Shape(kind, processes, threads, keys, permits, writers, hold, other);
    }

    public Shape withProcesses(int other) {
        return new Shape(kind, other, threads, keys, permits, writers, hold, lease);
    }

    /** Returns whether all threads want one and the same lock, so that it makes sense to ask to whom it went next. */
    public boolean isOneLock() {
        return keys == 1 && processes * threads > 1;
    }

    /** Returns the shape as an argument of a command line. */
    String encoded() {
        return kind + "," + processes + "," + threads + "," + keys + "," + permits + "," + writers + ","
                + hold.toNanos() + "," + lease.toMillis();
    }

    static Shape decoded(String encoded) {
        String[] parts = encoded.split(",", -1);
        return new Shape(
                Kind.valueOf(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Integer.parseInt(parts[4]),
                Integer.parseInt(parts[5]),
                Duration.ofNanos(Long.parseLong(parts[6])),
                Duration.ofMillis(Long.parseLong(parts[7])));
    }
}
