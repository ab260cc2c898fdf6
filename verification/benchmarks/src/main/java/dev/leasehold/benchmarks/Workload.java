package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.server.StoreKind;
import dev.leasehold.benchmarks.worker.Shape;
import java.time.Duration;
import java.util.List;

/**
 * A workload is something to be measured of several contestants.
 *
 * @param name as on the command line
 * @param title its work, in words
 * @param distance how far away the store is: a request and its answer take that long
 * @param count of leases to hold
 * @param columns to show; the first is the one that is compared
 */
record Workload(
        String name,
        String title,
        Group group,
        Mode mode,
        Shape shape,
        Duration distance,
        int count,
        List<Contestant> contestants,
        List<Metric> columns) {

    /** A group is the table that a workload belongs to. */
    enum Group {
        MAIN,
        SHARED,
        MORE,
        SCALING
    }

    /** A mode is a way of measuring. */
    enum Mode {
        /** Acquire and release as fast as it goes. */
        THROUGHPUT,
        /** The holder is killed while another one waits. */
        KILLED_HOLDER,
        /** Half of the processes are killed while all work. */
        KILLED_HALF,
        /** A new JVM acquires its first lock. */
        FIRST,
        /** Many leases are held and renewed. */
        HELD
    }

    Workload withContestants(List<Contestant> others) {
        return new Workload(name, title, group, mode, shape, distance, count, others, columns);
    }

    Workload withCount(int other) {
        return new Workload(name, title, group, mode, shape, distance, other, contestants, columns);
    }

    Workload withShape(Shape other) {
        return new Workload(name, title, group, mode, other, distance, count, contestants, columns);
    }

    boolean isOn(StoreKind store) {
        return contestants.stream().anyMatch(contestant -> contestant.store() == store);
    }
}
