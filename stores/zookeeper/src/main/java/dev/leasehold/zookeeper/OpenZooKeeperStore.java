package dev.leasehold.zookeeper;

import dev.leasehold.inspect.LockInfo;
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
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An open ZooKeeper store is one client's view of the locks in an ensemble: it asks each question in the serial
 * executor, and has an answer within the store's time-out. That an answer was given up stops nothing: the claim goes on
 * until what was asked is done, or undone.
 */
final class OpenZooKeeperStore implements Store {

    private final ClientLocks locks;
    private final RequestTimeouts timeouts;
    private final TimeSource time;

    OpenZooKeeperStore(String name, StoreContext context, Paths paths, CuratorConnection link) {
        locks = new ClientLocks(name, context, paths, link);
        time = context.time();
        timeouts = new RequestTimeouts(time, context.storeTimeout(), locks.executor());
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return ask(
                "the claim of '" + claim.lock() + "'",
                () -> locks.wasSent(claim.id()),
                answer -> locks.claim(claim, answer));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return ask("the renewal of '" + lease.lock() + "'", answer -> locks.renew(lease, duration, answer));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return ask("the downgrade of '" + lease.lock() + "'", answer -> locks.downgrade(lease, duration, answer));
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return ask("the release of '" + lease.lock() + "'", answer -> locks.release(lease, keepFor, answer));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        CompletionStage<ReleaseAnswer> gone =
                ask("the withdrawal from '" + lock + "'", answer -> locks.withdraw(lock, claim, answer));
        return gone.thenAccept(answer -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return ask("the inspection", answer -> {
            if (locks.session().open(answer)) {
                LockInspection.list(locks.session(), pattern, answer);
            }
        });
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return ask("the break of '" + lock + "'", answer -> {
            if (locks.session().open(answer)) {
                LockInspection.breakLease(locks.session(), lock, token, answer);
            }
        });
    }

    private <T> CompletionStage<T> ask(String what, Consumer<CompletableFuture<T>> question) {
        return ask(what, () -> locks.session().ready() != null, question);
    }

    private <T> CompletionStage<T> ask(String what, BooleanSupplier sent, Consumer<CompletableFuture<T>> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        long asked = time.nanos();
        locks.execute(() -> {
            try {
                question.accept(answer);
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
            timeouts.await(
                    answer, asked, () -> Codes.silent(locks.session().toString(), what, sent.getAsBoolean(), null));
        });
        return answer;
    }

    @Override
    public Sharing sharing() {
        return Sharing.all();
    }

    @Override
    public boolean closingEndsLeases() {
        return true;
    }

    @Override
    public void close() {
        locks.close(timeouts);
    }
}
