package dev.leasehold.testkit;

import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/**
 * Stops a process that uses a store, as {@code SIGSTOP} does, for tests of what happens to a lease meanwhile.
 *
 * <p>A process that is stopped in the middle of a transaction keeps the others from the lock, or from the whole store, for
 * as long as it is stopped. That is a fault of its own, and no test of a stopped holder wants to meet it by chance.
 */
public final class ProcessStop {

    /** Shorter than a lease, so that who was stopped for so long still has its own. */
    private static final Duration SOON = Duration.ofMillis(500);

    private ProcessStop() {}

    /**
     * Stops a process when it is not in the middle of a transaction: stops it, looks whether the store still answers others,
     * and otherwise lets it go on and begins anew. Where there is a {@code kill} command. Blocks for as long as that takes,
     * mostly some milliseconds.
     *
     * @param pid the process
     * @param uri its store
     * @param lock a lock that is held, by the process or by another, and stays so meanwhile
     * @throws IOException if there is no {@code kill} command
     * @throws InterruptedException if the thread is interrupted; the process may be stopped or not
     * @throws IllegalStateException if the lock was free; the process is stopped or not
     */
    public static void betweenTransactions(long pid, String uri, String lock) throws IOException, InterruptedException {
        Objects.requireNonNull(lock, "lock");
        try (Leasehold asking = Leasehold.builder().uri(uri).storeTimeout(SOON).build()) {
            do {
                signal("CONT", pid);
                isAnswered(asking, lock);
                signal("STOP", pid);
            } while (!isAnswered(asking, lock));
        }
    }

    /** Whether the store says that the lock is taken. It writes, or locks, what a claim does, and leaves nothing. */
    private static boolean isAnswered(Leasehold asking, String lock) throws InterruptedException {
        try {
            if (asking.lock(lock).tryAcquire().isPresent()) {
                throw new IllegalStateException("the lock '" + lock + "' was free");
            }
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
    }
}
