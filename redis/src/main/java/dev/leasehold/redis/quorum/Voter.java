package dev.leasehold.redis.quorum;

import dev.leasehold.LockInfo;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One master of a quorum. It neither repeats nor keeps back anything: what is sent is sent at once, at most once, and in
 * the order of the calls as long as the connection lives. What must not come late does not wait for a connection.
 */
public interface Voter {

    /**
     * Looks at the name of a lock, before anything is begun for it.
     *
     * @throws dev.leasehold.LockException if the name cannot be a key
     */
    default void check(String lock) {}

    /**
     * Subscribes to what the node grants to those who wait there. What queues is sent only then, and may not be wanted any more:
     * whoever asks decides that, so that nothing is kept here to be sent later.
     *
     * @param lock for messages
     * @return completes at once where it has been done
     */
    CompletionStage<?> listen(String lock);

    /** Asks the node to accept a token for an attempt. */
    CompletionStage<Vote> vote(Ballot ballot);

    /** Asks the node to let an attempt have the lock for longer. */
    CompletionStage<RenewVote> renew(String lock, ClaimId attempt, long token, Duration lease);

    /** Ends what an attempt has under this very token; the stage tells whether there was anything. */
    CompletionStage<Boolean> release(String lock, ClaimId attempt, long token, Duration keepFor);

    /** Ends whatever an attempt has or waits for; the stage tells whether there was anything. */
    CompletionStage<Boolean> withdraw(String lock, ClaimId attempt);

    /**
     * The same for an attempt that has failed: it has never been granted the lock, and never will be. So what the node has
     * noted as its last token for this attempt alone is taken back.
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

    /** Why the last attempt to connect has failed; null if there is a connection, or none has been tried since the last. */
    @Nullable String downBecause();

    /** Closes the connections. */
    CompletableFuture<?> close();

    /** Names the node in messages, without credentials. */
    @Override
    String toString();
}
