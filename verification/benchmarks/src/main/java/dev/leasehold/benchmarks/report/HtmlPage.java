package dev.leasehold.benchmarks.report;

import dev.leasehold.servers.report.Svg;
import java.util.List;

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
        for (ScalingPlot plot : ScalingPlot.of(outcomes)) {
            page.append(plot.svg()).append('\n');
        }
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
}
