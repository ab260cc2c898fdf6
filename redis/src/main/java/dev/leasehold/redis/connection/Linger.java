package dev.leasehold.redis.connection;

import dev.leasehold.internal.Spin;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Lets the thread of a client's connections look a moment for the next command of a caller whom it has just told something,
 * before it goes to sleep at its sockets: who gets a lock that is handed on often gives it back at once, and who gives one
 * back asks for the next. To wake a thread costs both sides more than that.
 *
 * <p>Meanwhile that thread reads nothing. So it looks only where no answer to a claim, a renewal or a release is owed, on any
 * connection: what else may come, grants of other locks, say, waits {@value #LONGEST_NANOS} ns at most, or as much longer as
 * others on this machine keep the processor that it offers them meanwhile. {@link Spin} judges whether it helps, and leaves it
 * out where callers keep what they get, or where others keep the processor.
 *
 * <p>Only for connections of our own, which share one thread. It decides nothing.
 */
public final class Linger {

    private static final long LONGEST_NANOS = 120_000;

    private final Consumer<BooleanSupplier> spin;
    private final AtomicInteger owed = new AtomicInteger();

    public Linger() {
        this(new Spin(Duration.ofNanos(LONGEST_NANOS))::until);
    }

    /** Makes one; {@code spin} returns when the condition that it is given holds, or soon. */
    Linger(Consumer<BooleanSupplier> spin) {
        this.spin = spin;
    }

    /** Has a question counted as long as its answer is owed; one that {@code frees} its caller is followed by a look. */
    public <T> CompletionStage<T> after(CompletionStage<T> answer, Predicate<? super T> frees) {
        if (answer.toCompletableFuture().isDone()) {
            // Told at once, and on whatever thread asked.
            return answer;
        }
        owed.incrementAndGet();
        answer.whenComplete((told, failure) -> {
            owed.decrementAndGet();
            if (failure == null && frees.test(told)) {
                afterNews();
            }
        });
        return answer;
    }

    /** Looks, soon, if this is the thread of a connection. */
    public void afterNews() {
        EventExecutor here = ThreadExecutorMap.currentExecutor();
        if (here instanceof SingleThreadEventExecutor thread) {
            thread.execute(() -> look(thread));
        }
    }

    private void look(SingleThreadEventExecutor thread) {
        if (owed.get() == 0) {
            spin.accept(() -> thread.pendingTasks() > 0);
        }
    }
}
