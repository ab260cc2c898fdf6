package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.internal.Stages;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A claim lease is what a claim has at present, if it has one: it carries out the engine's requests that name that lease.
 *
 * <p>A claim may have several leases one after the other, each with a token of its own. A request for an earlier one, or the late
 * answer to such a request, finds another lease or none, and changes nothing: a request names the token, and an answer ends
 * the claim's lease only if it is still the one that the request was about.
 *
 * <p>{@link #renew} and {@link #release} may be called on any thread; the other methods belong to tasks of the claim's serial
 * executor.
 */
final class ClaimLease {

    private final SerialExecutor serial;
    private final String lock;
    private final ClaimId claim;
    private final Runnable ended;
    private @Nullable QuorumLease lease;

    /**
     * Makes one without a lease.
     *
     * @param ended runs after the present lease was released, or found to be lost
     */
    ClaimLease(SerialExecutor serial, String lock, ClaimId claim, Runnable ended) {
        this.serial = serial;
        this.lock = lock;
        this.claim = claim;
        this.ended = ended;
    }

    @Nullable QuorumLease held() {
        return lease;
    }

    void set(QuorumLease won) {
        lease = won;
    }

    void forget() {
        lease = null;
    }

    LeaseId id(QuorumLease held) {
        return new LeaseId(lock, claim, held.token());
    }

    ClaimAnswer.Granted granted(QuorumLease held, Validity validity) {
        return new ClaimAnswer.Granted(id(held), held.spare(), validity);
    }

    /**
     * Grants a lease to a further caller, for as long as that asks for.
     *
     * @param lost runs if the lease is gone and no other has come in its place
     * @param again runs if the lease is gone, after that: the caller is still to be answered
     */
    void grantAgain(
            QuorumLease held, Duration duration, CompletableFuture<ClaimAnswer> caller, Runnable lost, Runnable again) {
        held.renew(duration).whenComplete((answer, failure) -> {
            if (failure != null) {
                caller.completeExceptionally(failure);
            } else if (answer instanceof RenewAnswer.Renewed renewed) {
                caller.complete(granted(held, renewed.validity()));
            } else {
                serial.execute(() -> {
                    if (lease == held) {
                        held.withdraw();
                        lease = null;
                        lost.run();
                    }
                    again.run();
                });
            }
        });
    }

    CompletableFuture<RenewAnswer> renew(LeaseId wanted, Duration duration) {
        return ofLease(
                wanted,
                new RenewAnswer.Lost(),
                held -> held.renew(duration).whenComplete((answer, failure) -> {
                    if (answer instanceof RenewAnswer.Lost) {
                        // A minority may still have it.
                        held.withdraw();
                        serial.execute(() -> endIfPresent(held));
                    }
                }));
    }

    CompletableFuture<ReleaseAnswer> release(LeaseId wanted, Duration keepFor) {
        return ofLease(
                wanted,
                ReleaseAnswer.NOT_HELD,
                held -> held.release(keepFor).whenComplete((answer, failure) -> {
                    if (answer != null) {
                        serial.execute(() -> endIfPresent(held));
                    }
                }));
    }

    private <T> CompletableFuture<T> ofLease(
            LeaseId wanted, T otherwise, Function<QuorumLease, CompletableFuture<T>> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        serial.execute(() -> {
            QuorumLease held = lease;
            if (held == null || held.token() != wanted.token()) {
                result.complete(otherwise);
            } else {
                Stages.pass(request.apply(held), result);
            }
        });
        return result;
    }

    private void endIfPresent(QuorumLease held) {
        if (lease == held) {
            ended.run();
        }
    }
}
