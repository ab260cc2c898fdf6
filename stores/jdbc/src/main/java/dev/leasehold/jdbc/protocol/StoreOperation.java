package dev.leasehold.jdbc.protocol;

import dev.leasehold.StoreUnavailableException.Outcome;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store operation is one operation on its way through the store's thread. Another thread may give it up at any moment,
 * and then it is known whether it was carried out: only an operation that has passed {@link #commits} is, and an
 * operation that was given up before never passes it.
 */
public final class StoreOperation<T> {

    /** Work is the part of the operation that runs in the transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Protocol protocol, TxContext now) throws SQLException;
    }

    private enum Phase {
        OPEN,
        COMMITTING,
        /** An attempt was cut off when it may have been carried out: no later attempt makes that certain. */
        IN_DOUBT,
        OVER
    }

    private final @Nullable String lock;
    private final Work<T> work;
    private final Consumer<T> note;
    private final boolean writes;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

    /** Makes an operation that is not about one lock. */
    public StoreOperation(Work<T> work, Consumer<T> note, boolean writes) {
        this(null, work, note, writes);
    }

    /**
     * Makes an operation.
     *
     * @param lock the lock that it is about, or null
     * @param work what to do
     * @param note what the store's thread remembers of the answer, once it is committed
     * @param writes whether it needs the database to itself
     */
    public StoreOperation(@Nullable String lock, Work<T> work, Consumer<T> note, boolean writes) {
        this.lock = lock;
        this.work = work;
        this.note = note;
        this.writes = writes;
    }

    public @Nullable String lock() {
        return lock;
    }

    public Work<T> work() {
        return work;
    }

    public void note(T value) {
        note.accept(value);
    }

    public boolean writes() {
        return writes;
    }

    public CompletableFuture<T> answer() {
        return answer;
    }

    public boolean isOver() {
        return phase.get() == Phase.OVER;
    }

    /** Passes the point of no return; returns false if the operation was given up before. */
    public boolean commits() {
        return phase.compareAndSet(Phase.OPEN, Phase.COMMITTING);
    }

    /** Returns whether it may have been carried out. */
    public boolean isCommitting() {
        Phase now = phase.get();
        return now == Phase.COMMITTING || now == Phase.IN_DOUBT;
    }

    /** The attempt that had passed {@link #commits} has certainly changed nothing. */
    public void undone() {
        phase.compareAndSet(Phase.COMMITTING, Phase.OPEN);
    }

    /** The outcome of the attempt is unknown; if it had not passed {@link #commits}, it has changed nothing. */
    public void cutOff() {
        phase.compareAndSet(Phase.COMMITTING, Phase.IN_DOUBT);
    }

    public void succeed(T value) {
        if (phase.getAndSet(Phase.OVER) != Phase.OVER) {
            answer.complete(value);
        }
    }

    /** Ends the operation without an answer, unless it has one; the reason may depend on what is known of its outcome. */
    public void fail(Function<Outcome, ? extends Throwable> reason) {
        Phase before = phase.getAndSet(Phase.OVER);
        if (before != Phase.OVER) {
            answer.completeExceptionally(
                    reason.apply(before == Phase.OPEN ? Outcome.NOT_CARRIED_OUT : Outcome.UNKNOWN));
        }
    }
}
