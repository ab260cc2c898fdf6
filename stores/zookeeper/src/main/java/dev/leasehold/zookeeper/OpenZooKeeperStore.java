package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.Timeouts;
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
import java.util.function.Supplier;

/**
 * An open ZooKeeper store is one client's view of the locks in an ensemble: it asks each question in the serial
 * executor, and has an answer within the store's time-out. That an answer was given up stops nothing: the claim goes on
 * until what was asked is done, or undone.
 */
final class OpenZooKeeperStore implements Store {

    private record Question(CompletableFuture<?> answer, Supplier<LockException> silent) {

        void giveUp() {
            answer.completeExceptionally(silent.get());
        }
    }

    private final ClientLocks locks;
    private final Timeouts<Question> timeouts;
    private final TimeSource time;

    OpenZooKeeperStore(String name, StoreContext context, Paths paths, CuratorConnection link) {
        locks = new ClientLocks(name, context, paths, link);
        time = context.time();
        timeouts = new Timeouts<>(
                time::nanos,
                (delay, task) -> time.schedule(delay, task)::cancel,
                context.storeTimeout(),
                question -> question.answer().isDone(),
                late -> locks.execute(() -> late.forEach(Question::giveUp)));
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

    private <T> CompletionStage<T> ask(String what, Consumer<CompletableFuture<T>> asking) {
        return ask(what, () -> locks.session().ready() != null, asking);
    }

    private <T> CompletionStage<T> ask(String what, BooleanSupplier sent, Consumer<CompletableFuture<T>> asking) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Question question =
                new Question(answer, () -> Codes.silent(locks.session().toString(), what, sent.getAsBoolean(), null));
        long asked = time.nanos();
        locks.execute(() -> {
            try {
                asking.accept(answer);
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
            if (!timeouts.add(question, asked)) {
                fail(question);
            }
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
        locks.close(() -> timeouts.close().forEach(this::fail));
    }

    private void fail(Question question) {
        question.answer().completeExceptionally(Codes.closed(locks.session().toString()));
    }
}
