package dev.leasehold.redis.quorum;

import dev.leasehold.spi.ClaimAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Claim callers are those that ask for a claim at present; one answer is for all. Used by tasks of the claim's serial
 * executor only.
 */
final class ClaimCallers {

    private final List<CompletableFuture<ClaimAnswer>> callers = new ArrayList<>();

    boolean isEmpty() {
        return callers.isEmpty();
    }

    void add(CompletableFuture<ClaimAnswer> caller) {
        callers.add(caller);
    }

    void answer(ClaimAnswer answer) {
        takeEach(caller -> caller.complete(answer));
    }

    /** Takes the callers out before it answers any: one may ask again at once. */
    void takeEach(Consumer<CompletableFuture<ClaimAnswer>> told) {
        List<CompletableFuture<ClaimAnswer>> all = List.copyOf(callers);
        callers.clear();
        all.forEach(told);
    }
}
