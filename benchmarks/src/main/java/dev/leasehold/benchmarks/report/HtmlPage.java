package dev.leasehold.benchmarks.report;

import dev.leasehold.servers.report.Svg;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** The HTML page of a run has its tables and plots in one file that needs no server and nothing else. */
final class HtmlPage {

    private static final String STYLE = "body{font:14px/1.5 sans-serif;margin:16px;max-width:1200px}"
            + "table{border-collapse:collapse;margin:8px 0}td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}"
            + "td:first-child{text-align:left}svg{display:block;margin:8px 0}";

    private HtmlPage() {}

    static String of(String machine, List<Outcome> outcomes) {
        StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                + "<title>Leasehold benchmarks</title>\n<style>" + STYLE + "</style></head><body>\n"
                + "<h1>Leasehold beside its peers</h1>\n<p>" + Svg.escaped(machine) + "</p>\n");
        page.append(scaling(
                outcomes,
                "threads of one process on one lock: grants/s",
                Outcome.Point::threads,
                at -> at.processes() == 1 && at.keys() == 1));
        page.append(scaling(
                outcomes,
                "processes of one thread on one lock: grants/s",
                Outcome.Point::processes,
                at -> at.threads() == 1 && at.keys() == 1));
        page.append(scaling(
                outcomes,
                "locks, with a thread of one process each: grants/s",
                Outcome.Point::keys,
                at -> at.processes() == 1 && at.keys() == at.threads()));
        for (Outcome outcome : outcomes) {
            page.append("<h2>").append(Svg.escaped(outcome.title())).append("</h2>\n");
            page.append(MarkdownTable.html(outcome));
            page.append(Plot.rates(outcome)).append('\n');
            page.append(Plot.percentiles(outcome, false)).append('\n');
            page.append(Plot.percentiles(outcome, true)).append('\n');
            if (outcome.samples().values().stream()
                    .anyMatch(samples -> !samples.of(Metric.CLIENT).isEmpty())) {
                page.append(Plot.costs(outcome)).append('\n');
            }
            page.append("<p>")
                    .append(Svg.escaped(outcome.how().replace("*", "")))
                    .append("</p>\n");
        }
        return page.append("</body></html>\n").toString();
    }

    private static String scaling(
            List<Outcome> outcomes, String title, ToIntFunction<Outcome.Point> number, Predicate<Outcome.Point> takes) {
        Map<String, Map<String, TreeMap<Integer, Double>>> stores = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            if (outcome.columns().get(0) == Metric.RATE && takes.test(outcome.point())) {
                outcome.samples().forEach((contestant, samples) -> {
                    if (!samples.of(Metric.RATE).isEmpty()) {
                        stores.computeIfAbsent(outcome.point().store(), any -> new LinkedHashMap<>())
                                .computeIfAbsent(contestant, any -> new TreeMap<>())
                                .put(
                                        number.applyAsInt(outcome.point()),
                                        Median.of(samples.of(Metric.RATE)).value());
                    }
                });
            }
        }
        StringBuilder plots = new StringBuilder();
        stores.forEach((store, lines) -> {
            if (lines.values().stream().anyMatch(line -> line.size() > 1)) {
                plots.append(Plot.scaling(store + ", " + title, lines)).append('\n');
            }
        });
        return plots.toString();
    }
}
