package dev.leasehold.testkit;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.Stages;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A faulty connection is one client's bad line to a store. Requests that are late still arrive after the client has closed
 * the line.
 */
record FaultyConnection(FaultyStore faulty, Store store, TimeSource time) implements Store {

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return send(Message.CLAIM, () -> store.claim(claim));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return send(Message.RENEW, () -> store.renew(lease, duration));
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return send(Message.RELEASE, () -> store.release(lease, keepFor));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return send(Message.WITHDRAW, () -> store.withdraw(lock, claim));
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return send(Message.INSPECT, () -> store.inspect(pattern));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return send(Message.BREAK, () -> store.breakLease(lock, token));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return send(Message.RENEW, () -> store.downgrade(lease, duration));
    }

    @Override
    public Sharing sharing() {
        return store.sharing();
    }

    @Override
    public Duration maxLease() {
        return store.maxLease();
    }

    @Override
    public boolean closingEndsLeases() {
        return store.closingEndsLeases();
    }

    /** Returns a horizon longer than any plan's delay, because the plan may change while a request is on its way. */
    @Override
    public Duration requestHorizon() {
        return faulty.horizonOf(store).plusMillis(500);
    }

    @Override
    public void close() {
        store.close();
    }

    private interface Request<T> {
        CompletionStage<T> send();
    }

    private <T> CompletionStage<T> send(Message message, Request<T> request) {
        FaultPlan plan = faulty.plan();
        Fault fault = plan.next(message);
        return switch (fault) {
            case NONE -> request.send();
            case LOSE_REQUEST -> failed(message, plan.senderTimeout());
            case LOSE_ANSWER -> {
                CompletionStage<T> carriedOut = request.send();
                yield carriedOut
                        .handle((answer, failure) -> this.<T>failed(message, plan.senderTimeout()))
                        .thenCompose(stage -> stage);
            }
            case DELAY_REQUEST -> after(plan.delay(), request);
            case DELAY_ANSWER -> {
                CompletionStage<T> answer = request.send();
                yield after(plan.delay(), () -> answer);
            }
            case REPEAT -> {
                CompletionStage<T> answer = request.send();
                time.schedule(plan.delay(), request::send);
                yield answer;
            }
            case LATE -> {
                time.schedule(plan.delay(), request::send);
                yield failed(message, plan.senderTimeout());
            }
            case UNREACHABLE ->
                CompletableFuture.failedFuture(new StoreUnavailableException(
                        "planted: " + message + " could not be sent to " + faulty,
                        faulty.toString(),
                        Outcome.NOT_CARRIED_OUT,
                        null));
            case REFUSE ->
                CompletableFuture.failedFuture(new LockException("planted: " + faulty + " refused " + message));
        };
    }

    private <T> CompletionStage<T> failed(Message message, Duration limit) {
        return after(
                limit,
                () -> CompletableFuture.failedFuture(new StoreUnavailableException(
                        "planted: no answer to " + message + " from " + faulty + "; it may have been carried out",
                        faulty.toString(),
                        Outcome.UNKNOWN,
                        null)));
    }

    private <T> CompletionStage<T> after(Duration delay, Request<T> then) {
        CompletableFuture<T> result = new CompletableFuture<>();
        time.schedule(delay, () -> Stages.pass(then.send(), result));
        return result;
    }
}
