package dev.leasehold.benchmarks.report;

import dev.leasehold.servers.report.Svg;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** A plot draws results of a run as SVG. */
final class Plot {

    private static final String OURS = "#0b6e99";
    private static final String OTHERS = "#9aa5ad";
    private static final String SECOND = "#d9822b";
    private static final String DARK = "#333";
    private static final String GRID = "#ddd";
    private static final List<String> COLOURS =
            List.of("#0b6e99", "#d9822b", "#5b8c5a", "#a23b72", "#6c5b7b", "#7f7f7f", "#c9a227");
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

    private static final double NAMES = 230;
    private static final double BARS = 420;
    private static final double ROW = 24;

    private static final String START = "text-anchor=\"start\" fill=\"#444\"";
    private static final String MIDDLE = "text-anchor=\"middle\" fill=\"#444\"";
    private static final String END = "text-anchor=\"end\" fill=\"#444\"";

    private Plot() {}

    private static String page(Svg svg, double width, double height) {
        return svg.element(
                width,
                height,
                "font-family=\"sans-serif\" font-size=\"12\"",
                "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    }

    /** Draws a bar for each contestant's first metric, with its interval. */
    static String rates(Outcome outcome) {
        Metric metric = outcome.columns().get(0);
        double most = outcome.samples().values().stream()
                .mapToDouble(samples -> highest(Median.of(samples.of(metric))))
                .max()
                .orElse(1);
        Svg svg = new Svg(0.5);
        svg.text(NAMES, 14, START, metric.label() + ", median and 95 % interval");
        double y = 24;
        for (Map.Entry<String, Samples> each : outcome.samples().entrySet()) {
            Median median = Median.of(each.getValue().of(metric));
            svg.text(NAMES - 8, y + 13, END, each.getKey());
            if (!Double.isNaN(median.value())) {
                double width = BARS * median.value() / most;
                svg.rect(
                        NAMES,
                        y + 2,
                        width,
                        ROW - 8,
                        Svg.fill(each.getKey().startsWith("Leasehold") ? OURS : OTHERS),
                        each.getKey() + ": " + metric.text(median.value()));
                if (median.hasInterval()) {
                    svg.line(
                            NAMES + BARS * median.low() / most,
                            y + ROW / 2 - 2,
                            NAMES + BARS * median.high() / most,
                            y + ROW / 2 - 2,
                            DARK,
                            1.5);
                }
                svg.text(NAMES + BARS * highest(median) / most + 6, y + 13, START, metric.text(median.value()));
            }
            y += ROW;
        }
        return page(svg, NAMES + BARS + 90, y + 4);
    }

    private static double highest(Median median) {
        return median.hasInterval() ? median.high() : Double.isNaN(median.value()) ? 0 : median.value();
    }

    /** Draws processor time per cycle: of the client, and behind it of the server. */
    static String costs(Outcome outcome) {
        double most = 1;
        for (Samples samples : outcome.samples().values()) {
            most = Math.max(most, positive(samples, Metric.CLIENT) + positive(samples, Metric.SERVER));
        }
        Svg svg = new Svg(0.5);
        svg.text(NAMES, 14, START, "processor time per cycle, µs: client (dark), server (light)");
        double y = 24;
        for (Map.Entry<String, Samples> each : outcome.samples().entrySet()) {
            double client = positive(each.getValue(), Metric.CLIENT);
            double server = positive(each.getValue(), Metric.SERVER);
            svg.text(NAMES - 8, y + 13, END, each.getKey());
            svg.rect(
                    NAMES,
                    y + 2,
                    BARS * client / most,
                    ROW - 8,
                    Svg.fill(OURS),
                    String.format("client %.1f µs", client));
            svg.rect(
                    NAMES + BARS * client / most,
                    y + 2,
                    BARS * server / most,
                    ROW - 8,
                    Svg.fill(SECOND),
                    String.format("server %.1f µs", server));
            svg.text(
                    NAMES + BARS * (client + server) / most + 6,
                    y + 13,
                    START,
                    String.format("%.0f + %.0f", client, server));
            y += ROW;
        }
        return page(svg, NAMES + BARS + 90, y + 4);
    }

    private static double positive(Samples samples, Metric metric) {
        List<Double> values = samples.of(metric);
        return values.isEmpty() ? 0 : Math.max(0, metric.overall(values));
    }

    /** Percentiles of a time, on a logarithmic scale, a line for each contestant. */
    static String percentiles(Outcome outcome, boolean handOvers) {
        Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
        outcome.samples().forEach((contestant, samples) -> {
            Histogram histogram = handOvers ? samples.handOvers() : samples.waits();
            if (histogram.getTotalCount() > 0) {
                Map<Double, Double> line = new LinkedHashMap<>();
                for (int i = 0; i < PERCENTILES.length; i++) {
                    line.put((double) i, Math.max(1e-3, histogram.getValueAtPercentile(PERCENTILES[i]) / 1e6));
                }
                lines.put(contestant, line);
            }
        });
        List<String> ticks = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            ticks.add(percentile == 100 ? "longest" : (percentile + " %").replace(".0 ", " "));
        }
        return lines.isEmpty()
                ? ""
                : lines(
                        handOvers ? "from release to the next holder in another process, ms" : "wait, ms",
                        lines,
                        ticks);
    }

    /** Draws throughput against a number of threads, processes or locks, both logarithmic. */
    static String scaling(String title, Map<String, TreeMap<Integer, Double>> rates) {
        List<Integer> numbers = rates.values().stream()
                .flatMap(line -> line.keySet().stream())
                .distinct()
                .sorted()
                .toList();
        Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
        rates.forEach((name, line) -> {
            Map<Double, Double> points = new LinkedHashMap<>();
            line.forEach((number, rate) -> points.put((double) numbers.indexOf(number), Math.max(1, rate)));
            lines.put(name, points);
        });
        return lines(title, lines, numbers.stream().map(String::valueOf).toList());
    }

    private static String lines(String title, Map<String, Map<Double, Double>> lines, List<String> ticks) {
        double low = Double.MAX_VALUE;
        double high = 0;
        for (Map<Double, Double> line : lines.values()) {
            for (double value : line.values()) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        }
        int bottom = (int) Math.floor(Math.log10(low));
        int top = Math.max(bottom + 1, (int) Math.ceil(Math.log10(high)));
        double height = 220;
        double width = 420;
        double left = 70;
        double step = width / Math.max(1, ticks.size() - 1);
        Svg svg = new Svg(0.5);
        svg.text(left, 14, START, title);
        for (int power = bottom; power <= top; power++) {
            double y = 28 + height * (top - power) / (top - bottom);
            svg.line(left, y, left + width, y, GRID, 1);
            svg.text(
                    left - 6,
                    y + 4,
                    END,
                    power < 0 ? String.valueOf(Math.pow(10, power)) : String.format("%,.0f", Math.pow(10, power)));
        }
        for (int i = 0; i < ticks.size(); i++) {
            svg.text(left + step * i, 28 + height + 18, MIDDLE, ticks.get(i));
        }
        int number = 0;
        for (Map.Entry<String, Map<Double, Double>> each : lines.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            double lastX = Double.NaN;
            double lastY = Double.NaN;
            for (Map.Entry<Double, Double> point : each.getValue().entrySet()) {
                double x = left + step * point.getKey();
                double y = 28 + height * (top - Math.log10(point.getValue())) / (top - bottom);
                if (!Double.isNaN(lastX)) {
                    svg.line(lastX, lastY, x, y, colour, 2);
                }
                svg.dot(x, y, colour, String.format("%s: %,.3f", each.getKey(), point.getValue()));
                lastX = x;
                lastY = y;
            }
            svg.rect(left + width + 24, 30 + 20 * number, 12, 12, Svg.fill(colour), "");
            svg.text(left + width + 42, 41 + 20 * number, START, each.getKey());
            number++;
        }
        return page(svg, left + width + 270, Math.max(height + 60, 40 + 20 * number));
    }
}
