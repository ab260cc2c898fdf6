package dev.leasehold.testkit;

import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process stop stops a process that uses a store, as {@code SIGSTOP} does, for tests of what happens to a lease
 * meanwhile.
 *
 * <p>A process that is stopped in the middle of a transaction keeps the others from the lock, or from the whole store:
 * until it goes on, or the database ends the transaction. That is a fault of its own, and no test of a stopped holder wants
 * to meet it by chance.
 */
public final class ProcessStop {

    /**
     * The longest time that the store may take to answer. A holder that was stopped for so long should still have its
     * lease.
     */
    private static final Duration SOON = Duration.ofMillis(500);

    private static final int MOST_STOPS = 20;

    private ProcessStop() {}

    /**
     * Stops a process when it is not in the middle of a transaction: stops it, looks whether the store still answers others,
     * and otherwise lets it go on until the store does, and stops it again. Needs a {@code kill} command. Blocks for some
     * tenths of a second, and for a second more each time that it has to begin anew.
     *
     * @param pid the process; if it is stopped already, it goes on first
     * @param uri its store
     * @param lock a lock that is held, by the process or by another, and stays so meanwhile; for a second and longer, so that a
     *     stop that failed does not cost it
     * @throws IOException if there is no {@code kill} command; the process goes on
     * @throws InterruptedException if the thread is interrupted; the process goes on
     * @throws IllegalStateException if the lock was free, the signal could not be sent, or the store did not answer after many
     *     stops; the process goes on, if it is there
     * @throws IllegalArgumentException if the URI or the lock's name is none
     * @throws dev.leasehold.LockException if the store refuses; the process goes on
     */
    public static void betweenTransactions(long pid, String uri, String lock) throws IOException, InterruptedException {
        Objects.requireNonNull(uri, "uri");
        Objects.requireNonNull(lock, "lock");
        boolean stopped = false;
        try (Leasehold asking = Leasehold.builder().uri(uri).storeTimeout(SOON).build()) {
            StoreUnavailableException failure = null;
            for (int i = 0; i < MOST_STOPS && !stopped; i++) {
                signal("CONT", pid);
                ask(
                        asking,
                        lock); // Once this is answered, all that it was in the middle of is through, a renewal perhaps.
                signal("STOP", pid);
                failure = ask(asking, lock);
                stopped = failure == null;
            }
            if (failure != null) {
                throw new IllegalStateException(
                        "the store does not answer whenever the process " + pid + " is stopped", failure);
            }
        } finally {
            if (!stopped) {
                kill("CONT", pid);
            }
        }
    }

    /**
     * Sends a request that writes, or locks, the rows of a claim, and leaves nothing. Returns null if the store says that
     * the lock is taken.
     */
    private static @Nullable StoreUnavailableException ask(Leasehold asking, String lock) throws InterruptedException {
        try {
            if (asking.lock(lock).tryAcquire().isPresent()) {
                throw new IllegalStateException("the lock '" + lock + "' was free");
            }
            return null;
        } catch (StoreUnavailableException e) {
            return e;
        }
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        if (kill(name, pid) != 0) {
            throw new IllegalStateException("no signal " + name + " could be sent to the process " + pid);
        }
    }

    private static int kill(String name, long pid) throws IOException, InterruptedException {
        return new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
    }
}
