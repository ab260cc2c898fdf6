package dev.leasehold.redis.node;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renewals of one server are sent each at once while few are under way. Once many are, those that come gather until one is
 * answered or a batch is full, and one script renews them all, which costs client and server a fraction. Thread-safe.
 *
 * <p>A batch only ever confirms: whatever it does not find as it expects is asked for again by itself, as is all of a batch
 * that the server has refused. So each lease gets the answer that it would get alone, and one lock that is in a strange
 * state fails no other. Nothing stays here for long: as long as something is gathered, something is under way on the same
 * connection, and that ends: answered, given up, or lost.
 */
final class Renewals {

    private static final int FEW = 8;

    /** The server does nothing else while it carries out a script: so much takes it about a tenth of a millisecond. */
    private static final int MOST = 64;

    /** A renewal is a lease to renew. */
    record Renewal(LeaseId lease, Duration duration) {}

    /** Sends renewals to the server. */
    interface Sender {

        CompletionStage<RenewAnswer> renew(Renewal renewal);

        /** Renews several; null stands for each that has to be asked for by itself. */
        CompletionStage<List<@Nullable RenewAnswer>> renewAll(List<Renewal> batch);
    }

    private record Request(Renewal renewal, CompletableFuture<RenewAnswer> answer) {}

    private final Sender sender;
    private final boolean gathers;
    private final ConcurrentMap<Renewal, CompletableFuture<RenewAnswer>> unanswered = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();

    private final ReentrantLock mutex = new ReentrantLock();
    private List<Request> gathered = new ArrayList<>();
    private boolean sending;

    /**
     * Makes one without renewals.
     *
     * @param gathers whether one script may renew several locks; not so in a cluster, where they lie in several slots, nor
     *     where each renewal has replicas to wait for
     */
    Renewals(Sender sender, boolean gathers) {
        this.sender = sender;
        this.gathers = gathers;
    }

    /**
     * Renews. Asked again while the same question is under way, it is not sent again: its answer serves both. Else a server
     * that is slow because it has too much to do would be given more and more of it.
     */
    CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        Request request = new Request(new Renewal(lease, duration), new CompletableFuture<>());
        CompletableFuture<RenewAnswer> same = unanswered.putIfAbsent(request.renewal, request.answer);
        if (same != null) {
            return same;
        }
        if (gather(request)) {
            sendGathered();
        } else {
            sendAlone(request);
        }
        return request.answer;
    }

    private boolean gather(Request request) {
        mutex.lock();
        try {
            boolean many = gathers && (underWay.get() >= FEW || !gathered.isEmpty());
            if (many) {
                gathered.add(request);
            }
            return many;
        } finally {
            mutex.unlock();
        }
    }

    private void sendAlone(Request request) {
        underWay.incrementAndGet();
        asked(() -> sender.renew(request.renewal)).whenComplete((answer, failure) -> {
            settle(request, answer, failure);
            ended();
        });
    }

    /** Sends batches as long as there is one to send. A batch that ends while it is being sent does not come back here. */
    private void sendGathered() {
        for (List<Request> batch = next(false); !batch.isEmpty(); batch = next(true)) {
            send(batch);
        }
    }

    private List<Request> next(boolean goingOn) {
        mutex.lock();
        try {
            if (sending && !goingOn) {
                return List.of();
            }
            sending = !gathered.isEmpty() && (underWay.get() < FEW || gathered.size() >= MOST);
            if (!sending) {
                return List.of();
            }
            underWay.incrementAndGet();
            List<Request> batch = gathered;
            gathered = new ArrayList<>();
            if (batch.size() > MOST) {
                gathered.addAll(batch.subList(MOST, batch.size()));
                batch.subList(MOST, batch.size()).clear();
            }
            return batch;
        } finally {
            mutex.unlock();
        }
    }

    private void send(List<Request> batch) {
        List<Renewal> renewals = batch.stream().map(Request::renewal).toList();
        asked(() -> sender.renewAll(renewals)).whenComplete((answers, failure) -> {
            boolean refused = failure != null && !(Causes.of(failure) instanceof StoreUnavailableException);
            for (int i = 0; i < batch.size(); i++) {
                RenewAnswer answer = answers == null ? null : answers.get(i);
                if (refused || (answer == null && failure == null)) {
                    sendAlone(batch.get(i));
                } else {
                    settle(batch.get(i), answer, failure);
                }
            }
            ended();
        });
    }

    private static <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void settle(Request request, @Nullable RenewAnswer answer, @Nullable Throwable failure) {
        unanswered.remove(request.renewal);
        if (failure == null) {
            request.answer.complete(answer);
        } else {
            request.answer.completeExceptionally(failure);
        }
    }

    private void ended() {
        underWay.decrementAndGet();
        sendGathered();
    }
}
