package dev.leasehold.redis.node;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.Guard;
import dev.leasehold.internal.Stages;
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
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renewals are those of one server that have not been answered yet. Each is sent at once while few are under way. Once many
 * are, those that come gather until fewer are or a batch is full, and one script renews them all, which costs client and
 * server a fraction. Thread-safe.
 *
 * <p>Where the server refuses a batch, each of it is asked for by itself. So each lease gets the answer that it would get
 * alone, and one lock that is in a strange state fails no other.
 *
 * <p>Nothing stays here for ever. As long as something is gathered, something is under way on the same connection, and that
 * ends: answered, given up, or lost. What ends, also by an Error of our own, is counted out and looks what is to be sent;
 * and a renewal that is asked for again sends what has gathered in any case.
 */
final class Renewals {

    private static final int FEW = 8;

    /** The server does nothing else while it carries out a script: so much takes it about a tenth of a millisecond. */
    private static final int MOST = 64;

    /** A renewal is a lease to renew. */
    record Renewal(LeaseId lease, Duration duration) {}

    /** Sends renewals to the server. */
    interface Sender {

        /** Renews one or several; the answers are in their order. */
        CompletionStage<List<RenewAnswer>> renew(List<Renewal> batch);
    }

    private record Request(Renewal renewal, CompletableFuture<RenewAnswer> answer) {}

    private final Sender sender;
    private final boolean gathers;
    private final ConcurrentMap<Renewal, CompletableFuture<RenewAnswer>> unanswered = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();

    private final Guard mutex = new Guard();
    private List<Request> gathered = new ArrayList<>();

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
            sendGathered(true);
            return same;
        }
        try {
            if (!gather(request)) {
                send(List.of(request));
            }
            sendGathered(false);
        } catch (Throwable e) { // A stack that is full: the next request must not wait for this one's answer.
            unanswered.remove(request.renewal, request.answer);
            throw e;
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

    /**
     * Sends batches as long as there is one to send.
     *
     * @param anyway whether a batch need not be full, although many renewals are under way
     */
    private void sendGathered(boolean anyway) {
        for (List<Request> batch = next(anyway); !batch.isEmpty(); batch = next(anyway)) {
            send(batch);
        }
    }

    private List<Request> next(boolean anyway) {
        mutex.lock();
        try {
            if (gathered.isEmpty() || !(anyway || underWay.get() < FEW || gathered.size() >= MOST)) {
                return List.of();
            }
            int size = Math.min(MOST, gathered.size());
            List<Request> batch = new ArrayList<>(gathered.subList(0, size));
            List<Request> rest = new ArrayList<>(gathered.subList(size, gathered.size()));
            gathered = rest;
            return batch;
        } finally {
            mutex.unlock();
        }
    }

    private void send(List<Request> batch) {
        ask(() -> sender.renew(batch.stream().map(Request::renewal).toList()), (answers, failure) -> {
            boolean refused = failure != null && !(Causes.of(failure) instanceof StoreUnavailableException);
            for (int i = 0; i < batch.size(); i++) {
                Request request = batch.get(i);
                try {
                    if (refused && batch.size() > 1) {
                        send(List.of(request));
                    } else {
                        settle(request, answers == null ? null : answers.get(i), failure);
                    }
                } catch (Throwable e) { // The others of the batch have their answers.
                    settle(request, null, e);
                }
            }
        });
    }

    /**
     * Asks, and counts the question out when it is over. One that is over at once has nothing else sent from here, since its
     * caller does that: else each batch that fails at once would go one deeper down the stack.
     */
    private <T> void ask(Supplier<CompletionStage<T>> question, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        underWay.incrementAndGet();
        CompletableFuture<T> answer;
        try {
            answer = question.get().toCompletableFuture();
            if (!answer.isDone()) {
                answer.whenComplete((value, failure) -> {
                    try {
                        take(value, failure, then);
                    } finally {
                        sendGathered(false);
                    }
                });
                return;
            }
        } catch (Throwable e) {
            take(null, e, then);
            return;
        }
        @Nullable T value = null;
        Throwable failure = null;
        try {
            value = answer.join();
        } catch (RuntimeException e) {
            failure = Causes.of(e);
        }
        take(value, failure, then);
    }

    private <T> void take(
            @Nullable T value, @Nullable Throwable failure, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        try {
            then.accept(value, failure);
        } finally {
            underWay.decrementAndGet();
        }
    }

    private void settle(Request request, @Nullable RenewAnswer answer, @Nullable Throwable failure) {
        unanswered.remove(request.renewal, request.answer);
        Stages.settle(request.answer, answer, failure);
    }
}
