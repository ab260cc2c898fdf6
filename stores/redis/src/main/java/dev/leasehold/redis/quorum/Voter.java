package dev.leasehold.redis.quorum;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A voter is one master of a quorum. It neither repeats nor keeps back a request: it sends each at once, at most once, and
 * in the order of the calls as long as the connection lives. A request that must not come late does not wait for a
 * connection.
 */
public interface Voter {

    /**
     * Looks at the name of a lock, before anything is begun for it.
     *
     * @throws dev.leasehold.LockException if the name cannot be a key
     */
    default void check(String lock) {}

    /**
     * Subscribes to the node's grants to waiting claims. A ballot that queues is sent only after that, and may not be wanted
     * any more by then: the caller decides, so that nothing is kept here to be sent later.
     *
     * @param lock for messages
     * @return completes at once where it has been done
     */
    CompletionStage<?> listen(String lock);

    /** Asks the node to accept a token for an attempt. */
    CompletionStage<Vote> vote(Ballot ballot);

    /** Asks the node to let an attempt have the lock for longer. */
    CompletionStage<RenewVote> renew(String lock, ClaimId attempt, long token, Duration lease);

    /** Ends the lease that an attempt has under this very token; the stage tells whether there was one. */
    CompletionStage<Boolean> release(String lock, ClaimId attempt, long token, Duration keepFor);

    /** Ends an attempt on the node, its lease and its place in line; the stage tells whether there was either. */
    CompletionStage<Boolean> withdraw(String lock, ClaimId attempt);

    /**
     * Ends an attempt that has failed: it has never been granted the lock, and never will be. So the node takes back the
     * last token that it has noted for this attempt alone.
     */
    CompletionStage<Boolean> abandon(String lock, ClaimId attempt);

    /** Ends the lease to whose run a token belongs; the stage tells whether there was one. */
    CompletionStage<Boolean> breakLease(String lock, long token);

    /** Asks the node for its clock, its run, and whether it has a vote. */
    CompletionStage<NodeStatus> look();

    /** Runs a task, where this is known on the thread on which the node's answers come in. */
    default void execute(Runnable task) {
        task.run();
    }

    /** Lists the locks that the node knows. */
    CompletionStage<List<LockInfo>> list(NamePattern pattern);

    /**
     * Returns the reason why the last attempt to connect failed; null if there is a connection, or none has been tried
     * since the last.
     */
    @Nullable String downBecause();

    /** Returns the failure of which {@link #downBecause()} tells. */
    @Nullable Throwable downCause();

    /** Closes the connections. */
    CompletableFuture<?> close();

    /** Names the node in messages, without credentials. */
    @Override
    String toString();
}
