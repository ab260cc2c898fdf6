package dev.leasehold.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Warmth is what a table says of how warm the JVMs of its contestants were, so that a cold one says so by itself. */
public final class Warmth {

    /** A JVM that spends a smaller part of the time on compiling, in percent, counts as warm. */
    public static final double SMALL = 2;

    /** So many slices are the end of a warm-up. */
    private static final int END = 3;

    private Warmth() {}

    /** Returns how long each contestant was warmed, and which of them still compiled then, or in their turns. */
    public static String words(Map<String, Samples> contestants) {
        List<String> lengths = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        List<String> compiling = new ArrayList<>();
        contestants.forEach((name, samples) -> {
            for (double seconds : samples.of(Metric.WARM_UP)) {
                lengths.add(name + " " + Metric.WARM_UP.text(seconds));
                List<Double> slices = samples.of(Metric.WARMING);
                double turns = mean(samples.of(Metric.COMPILING));
                double end = mean(slices.subList(Math.max(0, slices.size() - END), slices.size()));
                if (Double.isNaN(turns)) {
                    unknown.add(name);
                } else if (turns >= SMALL || end >= SMALL) {
                    compiling.add(name + " " + Metric.COMPILING.text(turns) + " in its turns"
                            + (slices.isEmpty() ? "" : ", " + Metric.WARMING.text(end) + " at the end of its warm-up"));
                }
            }
        });
        if (lengths.isEmpty()) {
            return "";
        }
        return "Warmed up: " + String.join(", ", lengths) + ". "
                + (compiling.isEmpty() ? "" : "**Still compiling: " + String.join("; ", compiling) + ".** ")
                + (unknown.isEmpty() ? "" : "Not known to be warm: " + String.join(", ", unknown) + ". ")
                + (compiling.isEmpty() && unknown.isEmpty() ? "None of them still compiled. " : "");
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }
}
