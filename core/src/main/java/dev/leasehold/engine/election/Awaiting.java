package dev.leasehold.engine.election;

import dev.leasehold.Lease;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Those who wait until a candidate is elected. */
final class Awaiting {

    private final Queue<CompletableFuture<Lease>> all = new ConcurrentLinkedQueue<>();

    /** Begins to wait; cancelling ends it. Whoever begins looks afterwards whether what it waits for is there already. */
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
}
