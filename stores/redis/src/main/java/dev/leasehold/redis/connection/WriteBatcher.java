package dev.leasehold.redis.connection;

import dev.leasehold.internal.Guard;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A write batcher sends commands to a connection: each at once while few are under way, so that none waits for another; many
 * together once many are, because a write to a socket costs both sides more than its contents. So tens of thousands of
 * renewals take a few hundred writes, and one lock's acquire is not delayed.
 *
 * <p>Nothing stays here for long: what has been gathered is written when there is enough of it, or when only few are under
 * way any more. As long as something is gathered, many are under way, and each of them ends: answered, given up, or lost.
 *
 * <p>What is sent first is written first. Netty alone does not see to that: its own thread writes at once, ahead of what
 * others have left with it shortly before, and a withdrawal would overtake the claim that it withdraws. So what is sent on
 * that thread is left with it like all the rest.
 */
final class WriteBatcher {

    private static final int FEW = 32;
    private static final int ENOUGH = 128;

    private final StatefulRedisConnection<String, String> connection;
    private final Guard mutex = new Guard();
    private List<AsyncCommand<String, String, List<Object>>> gathered = new ArrayList<>();
    private int underWay;
    private boolean closed;

    /**
     * This is the connection's own thread: as a rule the one that has opened it, for certain from the first answer on.
     */
    private volatile @Nullable EventExecutor reader;

    WriteBatcher(StatefulRedisConnection<String, String> connection) {
        this.connection = connection;
        reader = ThreadExecutorMap.currentExecutor();
    }

    /** Writes a command, now or soon. Not if it is over by then. */
    void send(AsyncCommand<String, String, List<Object>> command) {
        List<AsyncCommand<String, String, List<Object>>> batch;
        mutex.lock();
        try {
            if (closed) {
                return;
            }
            if (underWay < FEW && gathered.isEmpty()) {
                underWay++;
                batch = List.of(command);
            } else {
                gathered.add(command);
                if (gathered.size() < ENOUGH) {
                    return;
                }
                batch = take();
            }
        } finally {
            mutex.unlock();
        }
        write(batch);
    }

    /** Runs a task on the connection's own thread; where that is not known yet, or has ended, on the caller's. */
    void execute(Runnable task) {
        EventExecutor own = reader;
        if (own == null || own.inEventLoop()) {
            task.run();
            return;
        }
        try {
            own.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** From now on nothing is written any more. */
    void close() {
        mutex.lock();
        try {
            closed = true;
            gathered.clear();
        } finally {
            mutex.unlock();
        }
    }

    private List<AsyncCommand<String, String, List<Object>>> take() {
        List<AsyncCommand<String, String, List<Object>>> batch = gathered;
        gathered = new ArrayList<>();
        batch.removeIf(AsyncCommand::isDone);
        underWay += batch.size();
        return batch;
    }

    private void write(List<AsyncCommand<String, String, List<Object>>> batch) {
        for (AsyncCommand<String, String, List<Object>> command : batch) {
            command.whenComplete((answer, failure) -> {
                if (failure == null) {
                    answeredOn(ThreadExecutorMap.currentExecutor());
                }
                ended();
            });
        }
        EventExecutor own = reader;
        if (own == null || !own.inEventLoop()) {
            dispatch(batch);
            return;
        }
        try {
            own.execute(() -> dispatch(batch));
        } catch (RuntimeException e) {
            batch.forEach(command -> command.completeExceptionally(e));
        }
    }

    private void answeredOn(@Nullable EventExecutor here) {
        if (here != null && !here.equals(reader)) {
            reader = here;
        }
    }

    private void dispatch(List<AsyncCommand<String, String, List<Object>>> batch) {
        try {
            if (batch.size() == 1) {
                connection.dispatch(batch.get(0));
            } else if (!batch.isEmpty()) {
                connection.dispatch(batch);
            }
        } catch (RuntimeException e) {
            batch.forEach(command -> command.completeExceptionally(e));
        }
    }

    private void ended() {
        List<AsyncCommand<String, String, List<Object>>> batch;
        mutex.lock();
        try {
            underWay--;
            if (underWay >= FEW || gathered.isEmpty()) {
                return;
            }
            batch = take();
        } finally {
            mutex.unlock();
        }
        write(batch);
    }
}
