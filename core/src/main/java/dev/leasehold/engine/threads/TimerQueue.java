package dev.leasehold.engine.threads;

import dev.leasehold.spi.TimeSource.Timer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A timer queue holds tasks until they are due. Any thread adds and cancels tasks; one thread sorts and runs them.
 *
 * <p>All locks of a client share this queue, and callers use it on their own stack. So a caller takes no lock here: it puts
 * its task on top of the incoming ones with one compare-and-set, and that has happened or not. Its stack may end in
 * between, and a virtual thread may lose its carrier: nobody else waits for it, and nothing is half done.
 *
 * <p>Most tasks are cancelled long before they are due. One that is cancelled while it is still incoming costs the sorting
 * thread nothing. The others lie in slots of 67 ms each. A slot is a list, so adding and cancelling cost the same however
 * many tasks there are; and a slot is sorted only when its time begins.
 */
final class TimerQueue {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    /** Nothing is due. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int WIDTH_BITS = 26;

    static final long WIDTH_NANOS = 1L << WIDTH_BITS;

    private static final int INCOMING = 0;
    private static final int PLACED = 1;
    private static final int OVER = 2;

    private static final AtomicIntegerFieldUpdater<Task> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Task.class, "state");

    /** A stack of the tasks that came or were cancelled since the last look, the newest on top. */
    private final AtomicReference<@Nullable Task> incoming = new AtomicReference<>();

    private final Runnable room;

    // All that follows belongs to the one thread that runs the tasks.

    private @Nullable Task unsorted;

    /** These belong to a slot that has been opened. */
    private final PriorityQueue<Task> near =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.due).thenComparingInt(task -> task.order));

    private final TreeMap<Long, Slot> far = new TreeMap<>();
    private long firstFarSlot = Long.MIN_VALUE;
    private int orders;

    /** A slot is the tasks of one span of time. */
    private static final class Slot {

        private final List<Task> tasks = new ArrayList<>(2);
        private int cancelled;

        /** Returns whether any task is left. Clears up when half of them are not, so that they do not pile up. */
        boolean forgetOne() {
            cancelled++;
            if (cancelled > tasks.size() / 2) {
                tasks.removeIf(Task::isOver);
                cancelled = 0;
            }
            return !tasks.isEmpty();
        }
    }

    /** A task is incoming, placed in order of time, or over: it has been run or cancelled. */
    private final class Task implements Timer {

        private final long due;
        private @Nullable Runnable work;
        private volatile int state;
        private @Nullable Task next;
        private int order;
        private boolean placed;

        Task(long due, Runnable work) {
            this.due = due;
            this.work = work;
        }

        boolean isOver() {
            return state == OVER;
        }

        @Override
        public void cancel() {
            int before = STATE.getAndSet(this, OVER);
            if (before != OVER) {
                work = null;
            }
            if (before == PLACED) {
                push(this);
            }
        }

        /** Runs it, unless it was cancelled. Its failure keeps no other task from its time. */
        void run() {
            Runnable mine = work;
            if (STATE.getAndSet(this, OVER) == OVER || mine == null) {
                return;
            }
            work = null;
            try {
                mine.run();
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Leasehold has a fault: a timer's task failed", e);
            }
        }
    }

    TimerQueue() {
        this(() -> {});
    }

    /**
     * @param room is run before each change of the order; a test throws from it as if memory were short
     */
    TimerQueue(Runnable room) {
        this.room = room;
    }

    /** Adds a task. Times are nanoseconds from any origin, and never overflow. Thread-safe. */
    Timer add(long due, Runnable work) {
        Task task = new Task(due, work);
        push(task);
        return task;
    }

    private void push(Task task) {
        Task top;
        do {
            top = incoming.get();
            task.next = top;
        } while (!incoming.compareAndSet(top, task));
    }

    /** Returns whether anything came since {@link #sort}. Thread-safe. */
    boolean hasNews() {
        return incoming.get() != null;
    }

    /**
     * Puts what came in order; returns whether anything did. An Error, as where memory is short, loses no task: the next call
     * goes on with the one that was left.
     */
    boolean sort() {
        if (unsorted == null) {
            unsorted = oldestFirst(incoming.getAndSet(null));
        }
        boolean any = unsorted != null;
        for (Task task = unsorted; task != null; task = unsorted) {
            unsorted = task.next;
            task.next = null; // Now, since a canceller may push it again as soon as it is placed.
            boolean sorted = false;
            try {
                sort(task);
                sorted = true;
            } finally {
                if (!sorted) {
                    task.next = unsorted;
                    unsorted = task;
                }
            }
        }
        return any;
    }

    private void sort(Task task) {
        if (task.placed) {
            forget(task);
        } else if (!task.isOver()) {
            place(task);
        }
    }

    private static @Nullable Task oldestFirst(@Nullable Task newest) {
        Task first = null;
        for (Task task = newest; task != null; ) {
            Task older = task.next;
            task.next = first;
            first = task;
            task = older;
        }
        return first;
    }

    private void place(Task task) {
        room.run();
        task.order = orders;
        long slot = slot(task.due);
        if (slot < firstFarSlot) {
            near.add(task);
        } else {
            far.computeIfAbsent(slot, start -> new Slot()).tasks.add(task);
        }
        orders++;
        task.placed = true;
        if (!STATE.compareAndSet(task, INCOMING, PLACED)) {
            forget(task); // It was cancelled meanwhile.
        }
    }

    /** Forgets a cancelled task; one that is due soon stays until then. */
    private void forget(Task task) {
        Long slot = slot(task.due);
        Slot known = far.get(slot);
        if (known != null && !known.forgetOne()) {
            far.remove(slot);
        }
    }

    /**
     * Runs all tasks that are due, in the order of their times; none of them early.
     *
     * @return when to look again, unless something comes before
     */
    long runDue(long now) {
        openSlots(slot(now));
        for (Task first = near.peek(); first != null && (first.due <= now || first.isOver()); first = near.peek()) {
            near.remove();
            first.run();
        }
        Task first = near.peek();
        long nearest = first == null ? NEVER : first.due;
        return far.isEmpty() ? nearest : Math.min(nearest, far.firstKey() << WIDTH_BITS);
    }

    private void openSlots(long last) {
        while (!far.isEmpty() && far.firstKey() <= last) {
            List<Task> tasks = far.firstEntry().getValue().tasks;
            // From its end, so that an Error leaves each task in one of the two.
            for (int i = tasks.size() - 1; i >= 0; i--) {
                room.run();
                near.add(tasks.get(i));
                tasks.remove(i);
            }
            far.pollFirstEntry();
        }
        firstFarSlot = Math.max(firstFarSlot, last + 1);
    }

    private static long slot(long time) {
        return time >> WIDTH_BITS;
    }
}
