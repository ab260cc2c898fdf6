package dev.leasehold.benchmarks.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Samples are what was measured of one contestant in one workload: for each metric a value for each round. */
public final class Samples {

    private static final double NANOS_PER_MILLI = 1e6;

    private final Map<Metric, List<Double>> values = new EnumMap<>(Metric.class);
    private final Histogram waits = new Histogram(3);
    private final Histogram writerWaits = new Histogram(3);
    private final Histogram handOvers = new Histogram(3);
    private String failure = "";

    public void add(Metric metric, double value) {
        values.computeIfAbsent(metric, any -> new ArrayList<>()).add(value);
    }

    public List<Double> of(Metric metric) {
        return values.getOrDefault(metric, List.of());
    }

    public Map<Metric, List<Double>> all() {
        return values;
    }

    /** Returns the times from asking to being granted, in nanoseconds, all rounds together. */
    public Histogram waits() {
        return waits;
    }

    public Histogram writerWaits() {
        return writerWaits;
    }

    /** From the release to the next grant, where that was another process's. */
    public Histogram handOvers() {
        return handOvers;
    }

    /** Takes the percentiles from the histograms, when all rounds are done. */
    public void finish() {
        percentile(Metric.WAIT_50, waits, 50);
        percentile(Metric.WAIT_99, waits, 99);
        percentile(Metric.WAIT_999, waits, 99.9);
        percentile(Metric.WAIT_MAX, waits, 100);
        percentile(Metric.WRITER_99, writerWaits, 99);
        percentile(Metric.WRITER_MAX, writerWaits, 100);
        percentile(Metric.HAND_OVER_50, handOvers, 50);
        percentile(Metric.HAND_OVER_99, handOvers, 99);
    }

    private void percentile(Metric metric, Histogram histogram, double percentile) {
        if (histogram.getTotalCount() > 0) {
            add(metric, histogram.getValueAtPercentile(percentile) / NANOS_PER_MILLI);
        }
    }

    /** Says that the contestant could not go on, and why. */
    public void fail(String why) {
        failure = why;
    }

    /** The reason why it could not go on; empty if it could. */
    public String failure() {
        return failure;
    }
}
