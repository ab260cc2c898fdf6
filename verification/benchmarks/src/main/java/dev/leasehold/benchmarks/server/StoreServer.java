package dev.leasehold.benchmarks.server;

import java.util.Optional;

/** A store server is a running store, with what can be read from it about its work. */
public interface StoreServer extends AutoCloseable {

    StoreKind kind();

    /** Returns name and version of the server. */
    String version() throws Exception;

    /** Returns the URI as Leasehold takes it. */
    String uri();

    /** Processor time that its processes have used, in nanoseconds; 0 where it is part of the client. */
    long cpuNanos();

    /** Counts the requests of clients while something runs; negative if they cannot be counted. */
    long requestsDuring(Task task) throws Exception;

    /** The entries that the store still has of a lock, where that can be seen. */
    default Optional<Leftovers> leftovers(String lock) throws Exception {
        return Optional.empty();
    }

    @Override
    void close() throws Exception;

    /** A task is something that runs while requests are counted. */
    interface Task {
        void run() throws Exception;
    }

    /**
     * Leftovers are the remains of a lock.
     *
     * @param entries keys or nodes
     * @param endless those of them that will never go by themselves
     */
    record Leftovers(int entries, int endless) {}
}
