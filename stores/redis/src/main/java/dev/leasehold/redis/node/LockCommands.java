package dev.leasehold.redis.node;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Lock commands are the operations of a store, on one master or on whichever master of a cluster has the lock. */
public interface LockCommands {

    CompletionStage<ClaimAnswer> claim(Claim claim);

    CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration);

    CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration);

    CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor);

    CompletionStage<Boolean> withdraw(String lock, ClaimId claim);

    CompletionStage<Boolean> breakLease(String lock, long token);

    CompletionStage<List<LockInfo>> list(NamePattern pattern);

    /** Closes the connections. The stage completes when they are closed. */
    CompletableFuture<?> close();
}
