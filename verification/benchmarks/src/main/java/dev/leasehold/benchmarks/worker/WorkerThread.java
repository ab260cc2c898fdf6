package dev.leasehold.benchmarks.worker;

import dev.leasehold.benchmarks.peer.LockClient;
import dev.leasehold.benchmarks.peer.LockHandle;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** A worker thread is one of several in a worker process, with its handle of the lock, and what it saw in its last turn. */
final class WorkerThread {

    private final int number;
    private final LockHandle reader;
    private final LockHandle writer;
    private final int writers;
    private final long hold;
    private final SplittableRandom random;
    private final GrantLog log = new GrantLog();

    private WorkerThread(int number, LockHandle reader, LockHandle writer, Shape shape) {
        this.number = number;
        this.reader = reader;
        this.writer = writer;
        writers = shape.writers();
        hold = shape.hold().toNanos();
        random = new SplittableRandom(number);
    }

    static WorkerThread of(LockClient client, Shape shape, String lock, int number) throws Exception {
        return switch (shape.kind()) {
            case MUTEX -> {
                LockHandle handle = client.lock(lock);
                yield new WorkerThread(number, handle, handle, shape);
            }
            case SEMAPHORE -> {
                LockHandle handle = client.permit(lock, shape.permits());
                yield new WorkerThread(number, handle, handle, shape);
            }
            case READ_WRITE -> new WorkerThread(number, client.read(lock), client.write(lock), shape);
        };
    }

    LockHandle handle() {
        return writer;
    }

    GrantLog log() {
        return log;
    }

    void turn(long start, long end) throws Exception {
        log.clear();
        for (long left = start - System.nanoTime(); left > 0; left = start - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        while (System.nanoTime() - end < 0) {
            cycle();
        }
    }

    /** A method of its own, so that it is compiled after some thousand cycles; a loop is only after many more. */
    private void cycle() throws Exception {
        boolean writes = writers > 0 && (writers == 100 || random.nextInt(100) < writers);
        LockHandle handle = writes ? writer : reader;
        long asked = System.nanoTime();
        handle.acquire();
        long given = System.nanoTime();
        if (hold > 0) {
            LockSupport.parkNanos(hold);
        }
        long releasing = System.nanoTime();
        handle.release();
        log.add(asked, given, releasing, number, writes);
    }
}
