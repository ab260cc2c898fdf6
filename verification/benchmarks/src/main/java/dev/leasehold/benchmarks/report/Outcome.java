package dev.leasehold.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * An outcome is what one workload has shown.
 *
 * @param name of the workload, as on the command line
 * @param title its work, in words
 * @param columns the metrics to show, the first of which is the one that is compared
 * @param ours the contestant that the others are compared with; empty if it did not take part
 * @param samples of each contestant, in the order of the table
 * @param how how it was measured
 * @param point where it stands in the plots of scaling
 */
public record Outcome(
        String name,
        String title,
        List<Metric> columns,
        String ours,
        Map<String, Samples> samples,
        String how,
        Point point) {

    /** A point says how many threads, processes and locks there were, and on which store. */
    public record Point(String store, int processes, int threads, int keys) {}

    /** Returns how many times as much as another contestant ours is, in the same rounds. */
    public Median ratio(String contestant) {
        Samples mine = samples.get(ours);
        Samples other = samples.get(contestant);
        if (mine == null || other == null || mine == other) {
            return Median.of(List.of());
        }
        return Median.ofRatios(mine.of(columns.get(0)), other.of(columns.get(0)));
    }
}
