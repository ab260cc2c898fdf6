package dev.leasehold.engine.election;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.Client;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Leadership futures are those of all callers that wait until a candidate is elected. */
final class LeadershipFutures {

    private final Queue<CompletableFuture<Lease>> all = new ConcurrentLinkedQueue<>();

    /** Adds a future; cancelling it ends the wait. The caller must look afterwards whether the candidate leads already. */
    CompletableFuture<Lease> add() {
        CompletableFuture<Lease> elected = new CompletableFuture<>();
        all.add(elected);
        elected.whenComplete((lease, failure) -> all.removeIf(other -> other == elected));
        return elected;
    }

    void elected(Lease lease) {
        all.forEach(waiting -> waiting.complete(lease));
    }

    void fail(RuntimeException why) {
        all.forEach(waiting -> waiting.completeExceptionally(why));
    }

    /** Waits on the calling thread; null if the limit was over, or the wait was given up, before the election was won. */
    static @Nullable Lease await(CompletableFuture<Lease> elected, Duration maxWait, Client client)
            throws InterruptedException {
        if (maxWait.isZero() || maxWait.isNegative()) {
            elected.cancel(false);
        }
        TimeSource.Timer limit = maxWait.compareTo(LockOptions.FOREVER) >= 0 || elected.isDone()
                ? null
                : client.time().schedule(maxWait, () -> elected.cancel(false));
        try {
            return elected.get();
        } catch (CancellationException e) {
            return null;
        } catch (ExecutionException e) {
            throw client.rethrown(e);
        } finally {
            elected.cancel(false);
            if (limit != null) {
                limit.cancel();
            }
        }
    }
}
