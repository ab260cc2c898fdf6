package dev.leasehold.jdbc.sqlite;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.CallerThreads;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An SQLite store is one client's view of a store file. Thread-safe; the work is done by its {@link SqliteThread}. */
public final class SqliteStore implements Store, CallerThreads {

    private final StoreFile file;
    private final SqliteThread thread;

    SqliteStore(StoreFile file, StoreContext context, ExpiryClock clock) {
        this.file = file;
        this.thread = new SqliteThread(file, context, clock);
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return submit(
                claim.lock(),
                true,
                (protocol, now) -> protocol.claim(claim, now),
                answer -> thread.poller().claimed(claim, answer));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return submit(
                lease.lock(),
                true,
                (protocol, now) -> protocol.renew(lease, duration, now),
                answer -> thread.poller().renewed(lease, answer));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return submit(
                lease.lock(),
                true,
                (protocol, now) -> protocol.downgrade(lease, duration, now),
                answer -> thread.poller().renewed(lease, answer));
    }

    @Override
    public Sharing sharing() {
        return Sharing.all();
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return submit(
                lease.lock(),
                true,
                (protocol, now) -> protocol.release(lease, keepFor, now),
                answer -> thread.poller().released(lease));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        StoreOperation.Work<Boolean> work = (protocol, now) -> protocol.withdraw(lock, claim, now);
        return submit(lock, true, work, found -> thread.poller().withdrawn(claim))
                .thenAccept(found -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return file.isMissing()
                ? CompletableFuture.completedFuture(List.of())
                : submit(pattern.onlyName(), false, (protocol, now) -> protocol.inspect(pattern, now), answer -> {});
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return submit(lock, true, (protocol, now) -> protocol.breakLease(lock, token, now), answer -> {});
    }

    @Override
    public boolean mayAnswerAtOnce() {
        return true;
    }

    @Override
    public Duration maxLease() {
        return TxContext.LONGEST;
    }

    @Override
    public void close() {
        thread.close();
    }

    private <T> CompletionStage<T> submit(
            @Nullable String lock, boolean writes, StoreOperation.Work<T> work, Consumer<T> note) {
        StoreOperation<T> operation = new StoreOperation<>(lock, work, note, writes);
        thread.submit(operation);
        return operation.answer();
    }
}
