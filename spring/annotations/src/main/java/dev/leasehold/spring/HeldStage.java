package dev.leasehold.spring;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A held stage is a stage under a lease that is given back when the stage has completed. */
final class HeldStage {

    private static final long RELEASE_SECONDS = 1;

    private HeldStage() {}

    /**
     * Returns a stage that completes as the given one does, after its lease was given back; with the loss, if the lease was
     * over before. A store that does not answer the release is waited for one second. Only the given stage refers to the lease, so the lease is noticed as dropped if nobody can complete it.
     */
    static CompletableFuture<@Nullable Object> of(CompletionStage<?> stage, Lease lease, RunningBodies running) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        StageWork.of(stage, running).whenComplete((value, failure) -> {
            LeaseState before = lease.state();
            lease.releaseAsync()
                    .copy()
                    .orTimeout(RELEASE_SECONDS, TimeUnit.SECONDS)
                    .whenComplete((released, unanswered) -> {
                        LeaseLostException lost = before.isValid() || before == LeaseState.RELEASED
                                ? null
                                : new LeaseLostException(
                                        lease.name(),
                                        lease.token(),
                                        "it was over before the work under it had completed");
                        if (failure != null) {
                            if (lost != null) {
                                failure.addSuppressed(lost);
                            }
                            result.completeExceptionally(failure);
                        } else if (lost != null) {
                            result.completeExceptionally(lost);
                        } else {
                            result.complete(value);
                        }
                    });
        });
        return result;
    }
}
