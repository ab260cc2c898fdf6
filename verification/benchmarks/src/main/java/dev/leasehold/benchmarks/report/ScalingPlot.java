package dev.leasehold.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * A scaling plot shows the grants per second of several workloads of one run against a number in which they differ: of
 * threads, of processes, or of locks.
 *
 * @param name which is also that of its file
 * @param outcomes what it is drawn from
 * @param lines by contestant, the grants per second by the number
 */
record ScalingPlot(String name, String title, List<Outcome> outcomes, Map<String, TreeMap<Integer, Double>> lines) {

    /** All that these outcomes can be drawn in, with two points at least. */
    static List<ScalingPlot> of(List<Outcome> outcomes) {
        List<ScalingPlot> plots = new ArrayList<>();
        plots.addAll(of(
                outcomes,
                "threads",
                "threads of one process on one lock",
                Outcome.Point::threads,
                at -> at.processes() == 1 && at.keys() == 1));
        plots.addAll(of(
                outcomes,
                "processes",
                "processes of one thread on one lock",
                Outcome.Point::processes,
                at -> at.threads() == 1 && at.keys() == 1));
        plots.addAll(of(
                outcomes,
                "locks",
                "locks, with a thread of one process each",
                Outcome.Point::keys,
                at -> at.processes() == 1 && at.keys() == at.threads()));
        return plots;
    }

    private static List<ScalingPlot> of(
            List<Outcome> outcomes,
            String name,
            String title,
            ToIntFunction<Outcome.Point> number,
            Predicate<Outcome.Point> takes) {
        Map<String, List<Outcome>> stores = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            if (outcome.columns().get(0) == Metric.RATE && takes.test(outcome.point())) {
                stores.computeIfAbsent(outcome.point().store(), any -> new ArrayList<>())
                        .add(outcome);
            }
        }
        List<ScalingPlot> plots = new ArrayList<>();
        stores.forEach((store, own) -> {
            Map<String, TreeMap<Integer, Double>> lines = lines(own, number);
            if (!lines.isEmpty()) {
                plots.add(new ScalingPlot(
                        "scaling-" + name + "-" + store.toLowerCase(Locale.ROOT), store + ": " + title, own, lines));
            }
        });
        return plots;
    }

    private static Map<String, TreeMap<Integer, Double>> lines(
            List<Outcome> outcomes, ToIntFunction<Outcome.Point> number) {
        Map<String, TreeMap<Integer, Double>> lines = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            outcome.samples().forEach((contestant, samples) -> {
                if (!samples.of(Metric.RATE).isEmpty()) {
                    lines.computeIfAbsent(contestant, any -> new TreeMap<>())
                            .put(
                                    number.applyAsInt(outcome.point()),
                                    Median.of(samples.of(Metric.RATE)).value());
                }
            });
        }
        lines.values().removeIf(line -> line.size() < 2);
        return lines;
    }

    /** How many numbers it shows. */
    int points() {
        TreeSet<Integer> numbers = new TreeSet<>();
        lines.values().forEach(line -> numbers.addAll(line.keySet()));
        return numbers.size();
    }

    String svg() {
        return Plot.scaling(title + ", grants/s", lines);
    }
}
