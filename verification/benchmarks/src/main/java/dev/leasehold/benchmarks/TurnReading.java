package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.worker.Grant;
import dev.leasehold.benchmarks.worker.Shape;
import dev.leasehold.benchmarks.worker.Turn;
import java.util.ArrayList;
import java.util.List;

/** A turn reading computes the figures of a turn from its grants. */
final class TurnReading {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;

    private TurnReading() {}

    /**
     * Adds a turn to what was measured of its contestant.
     *
     * @param serverCpu processor time of the server, in nanoseconds
     */
    static void add(Turn turn, Shape shape, long serverCpu, Samples samples) {
        List<Grant> counted = turn.grants().stream()
                .filter(grant -> grant.given() - turn.end() < 0)
                .toList();
        double seconds = (turn.end() - turn.start()) / NANOS_PER_SECOND;
        double cycles = Math.max(1, turn.cycles());
        samples.add(Metric.RATE, counted.size() / seconds);
        samples.add(Metric.CLIENT, turn.clientCpu() / NANOS_PER_MICRO / cycles);
        samples.add(Metric.SERVER, serverCpu > 0 ? serverCpu / NANOS_PER_MICRO / cycles : -1);
        samples.add(Metric.BYTES, turn.bytes() / cycles);
        if (turn.compiling() >= 0) {
            samples.add(Metric.COMPILING, 100 * turn.compiling() * NANOS_PER_MILLI / (turn.end() - turn.start()));
        }
        for (Grant grant : turn.grants()) {
            long wait = Math.max(0, grant.given() - grant.asked());
            samples.waits().recordValue(wait);
            if (shape.kind() == Shape.Kind.READ_WRITE && grant.writer()) {
                samples.writerWaits().recordValue(wait);
            }
        }
        if (shape.kind() == Shape.Kind.READ_WRITE) {
            samples.add(
                    Metric.READER_MAX,
                    turn.grants().stream()
                                    .filter(grant -> !grant.writer())
                                    .mapToLong(grant -> grant.given() - grant.asked())
                                    .max()
                                    .orElse(0)
                            / 1e6);
        }
        if (shape.kind() != Shape.Kind.MUTEX && !shape.hold().isZero()) {
            samples.add(Metric.AT_ONCE, mostAtOnce(turn.grants()));
        }
        if (shape.isOneLock()) {
            moves(counted, seconds, shape, samples);
        }
        if (shape.processes() > 1) {
            samples.add(Metric.SPREAD, spread(counted, shape.processes()));
        }
    }

    private static void moves(List<Grant> grants, double seconds, Shape shape, Samples samples) {
        int threads = 0;
        int processes = 0;
        for (int i = 1; i < grants.size(); i++) {
            Grant before = grants.get(i - 1);
            Grant grant = grants.get(i);
            boolean otherProcess = grant.process() != before.process();
            processes += otherProcess ? 1 : 0;
            threads += otherProcess || grant.thread() != before.thread() ? 1 : 0;
            if (otherProcess && shape.kind() == Shape.Kind.MUTEX) {
                samples.handOvers().recordValue(Math.max(0, grant.given() - before.releasing()));
            }
        }
        double all = Math.max(1, grants.size() - 1);
        samples.add(Metric.MOVED_THREAD, 100 * threads / all);
        if (shape.processes() > 1) {
            samples.add(Metric.MOVED_PROCESS, 100 * processes / all);
            samples.add(Metric.MOVED_RATE, processes / seconds);
        }
    }

    /**
     * Returns how far the luckiest and the unluckiest process are apart, in percent of what each would have if all had the
     * same.
     */
    static double spread(List<Grant> grants, int processes) {
        int[] shares = new int[processes];
        grants.forEach(grant -> shares[grant.process()]++);
        int most = 0;
        int least = Integer.MAX_VALUE;
        for (int share : shares) {
            most = Math.max(most, share);
            least = Math.min(least, share);
        }
        return 100.0 * (most - least) * processes / Math.max(1, grants.size());
    }

    /** Returns how many held it at one moment: from when each knew that it was granted until it began to release. */
    static int mostAtOnce(List<Grant> grants) {
        List<long[]> edges = new ArrayList<>(2 * grants.size());
        for (Grant grant : grants) {
            edges.add(new long[] {grant.given(), 1});
            edges.add(new long[] {grant.releasing(), -1});
        }
        edges.sort(
                (one, other) -> one[0] == other[0] ? Long.compare(one[1], other[1]) : Long.compare(one[0], other[0]));
        int now = 0;
        int most = 0;
        for (long[] edge : edges) {
            now += (int) edge[1];
            most = Math.max(most, now);
        }
        return most;
    }
}
