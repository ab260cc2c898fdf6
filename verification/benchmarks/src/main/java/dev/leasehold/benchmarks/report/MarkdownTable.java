package dev.leasehold.benchmarks.report;

import dev.leasehold.servers.report.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A Markdown table shows an outcome, as Markdown, or as HTML. */
final class MarkdownTable {

    private MarkdownTable() {}

    static String of(Outcome outcome) {
        StringBuilder table = new StringBuilder("| |");
        StringBuilder rule = new StringBuilder("|---|");
        for (String head : heads(outcome)) {
            table.append(' ').append(head).append(" |");
            rule.append("---:|");
        }
        table.append('\n').append(rule).append('\n');
        outcome.samples().forEach((contestant, samples) -> {
            table.append("| ").append(contestant).append(" |");
            cells(outcome, contestant, samples)
                    .forEach(cell -> table.append(' ').append(cell).append(" |"));
            table.append('\n');
        });
        return table.toString();
    }

    static String html(Outcome outcome) {
        StringBuilder table = new StringBuilder("<table><tr><th></th>");
        heads(outcome)
                .forEach(head -> table.append("<th>").append(Svg.escaped(head)).append("</th>"));
        table.append("</tr>\n");
        outcome.samples().forEach((contestant, samples) -> {
            table.append("<tr><td>").append(Svg.escaped(contestant)).append("</td>");
            cells(outcome, contestant, samples)
                    .forEach(cell -> table.append("<td>")
                            .append(Svg.escaped(cell.replace("*", "")))
                            .append("</td>"));
            table.append("</tr>\n");
        });
        return table.append("</table>\n").toString();
    }

    private static List<Metric> shown(Outcome outcome) {
        return outcome.columns().stream()
                .filter(metric -> outcome.samples().values().stream()
                        .anyMatch(samples -> !samples.of(metric).isEmpty()))
                .toList();
    }

    private static List<String> heads(Outcome outcome) {
        List<String> heads = new ArrayList<>();
        for (Metric metric : shown(outcome)) {
            heads.add(metric.label());
            if (metric == outcome.columns().get(0)) {
                heads.add("Leasehold is");
            }
        }
        return heads;
    }

    private static List<String> cells(Outcome outcome, String contestant, Samples samples) {
        List<String> cells = new ArrayList<>();
        for (Metric metric : shown(outcome)) {
            boolean first = metric == outcome.columns().get(0);
            List<Double> values = samples.of(metric);
            if (first) {
                cells.add(withInterval(metric, Median.of(values), samples.failure()));
                cells.add(times(outcome.ratio(contestant), metric.isCost()));
            } else {
                cells.add(values.isEmpty() ? "–" : metric.text(metric.overall(values)));
            }
        }
        return cells;
    }

    private static String withInterval(Metric metric, Median median, String failure) {
        if (!failure.isEmpty()) {
            return "*failed: " + failure.replace("|", "/") + "*";
        }
        String value = "**" + metric.text(median.value()) + "**";
        return median.hasInterval()
                ? value + " (" + metric.text(median.low()) + " – " + metric.text(median.high()) + ")"
                : value;
    }

    /** Says of rates how many times as many, of times how many times as long. */
    private static String times(Median ratio, boolean cost) {
        if (Double.isNaN(ratio.value())) {
            return "";
        }
        String times = String.format(Locale.ROOT, "%.2f ×", ratio.value());
        return (ratio.hasInterval()
                        ? times + String.format(Locale.ROOT, " (%.2f – %.2f)", ratio.low(), ratio.high())
                        : times)
                + (cost ? " as long" : "");
    }

    /** Returns one line for the terminal. */
    static String line(Map.Entry<String, Samples> each, List<Metric> columns) {
        StringBuilder line = new StringBuilder(String.format("  %-38s", each.getKey()));
        for (Metric metric : columns) {
            List<Double> values = each.getValue().of(metric);
            if (!values.isEmpty()) {
                line.append("  ").append(metric.label()).append(' ').append(metric.text(metric.overall(values)));
            }
        }
        return line.append(
                        each.getValue().failure().isEmpty()
                                ? ""
                                : "  failed: " + each.getValue().failure())
                .toString();
    }
}
