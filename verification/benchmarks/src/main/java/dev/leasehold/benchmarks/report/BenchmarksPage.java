package dev.leasehold.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The benchmarks page shows the newest figures. Each workload has a section between two markers, of which a run replaces
 * those that it has measured; new ones are put where the catalogue has them. So has each plot of scaling, of which a run
 * replaces those that it has {@link #FEWEST enough} points for. All else on the page is written by hand.
 */
public final class BenchmarksPage {

    private static final Pattern BEGIN = Pattern.compile("<!-- begin ([\\w-]+) -->");

    /** A plot of scaling needs so many points, lest a run of few workloads replaces one of many. */
    private static final int FEWEST = 4;

    private final Path page;
    private final List<String> order;

    /**
     * Makes one.
     *
     * @param order of the workloads on the page
     */
    public BenchmarksPage(Path page, List<String> order) {
        this.page = page;
        this.order = order;
    }

    /** Writes the sections and plots of what was measured. */
    public void update(List<Outcome> outcomes) throws IOException {
        String text = Files.exists(page) ? Files.readString(page) : "# Benchmarks\n";
        Path plots = page.resolveSibling(stem());
        Files.createDirectories(plots);
        for (Outcome outcome : outcomes) {
            Files.writeString(plots.resolve(outcome.name() + ".svg"), Plot.rates(outcome) + "\n");
            text = withSection(text, outcome.name(), section(outcome));
        }
        for (ScalingPlot plot : ScalingPlot.of(outcomes)) {
            if (plot.points() >= FEWEST) {
                Files.writeString(plots.resolve(plot.name() + ".svg"), plot.svg() + "\n");
                text = withSection(text, plot.name(), section(plot));
            }
        }
        Files.writeString(page, text);
    }

    private String stem() {
        return page.getFileName().toString().replaceFirst("\\.md$", "");
    }

    private String section(Outcome outcome) {
        return "### " + outcome.title() + " (`" + outcome.name() + "`)\n\n" + MarkdownTable.of(outcome) + "\n![plot]("
                + stem() + "/" + outcome.name() + ".svg)\n\n" + outcome.how() + "\n";
    }

    private String section(ScalingPlot plot) {
        String workloads = plot.outcomes().stream().map(Outcome::name).collect(Collectors.joining(","));
        return "### " + plot.title() + "\n\n![plot](" + stem() + "/" + plot.name()
                + ".svg)\n\nFrom one run of `verification/benchmarks/leasehold-bench --workload " + workloads
                + "`, of which the last said: "
                + plot.outcomes().get(plot.outcomes().size() - 1).how() + "\n";
    }

    String withSection(String text, String name, String section) {
        String begin = "<!-- begin " + name + " -->";
        String end = "<!-- end " + name + " -->";
        String whole = begin + "\n" + section + end;
        int from = text.indexOf(begin);
        if (from >= 0) {
            int to = text.indexOf(end, from);
            if (to < 0) {
                throw new IllegalStateException(page + " has no " + end);
            }
            return text.substring(0, from) + whole + text.substring(to + end.length());
        }
        int place = order.contains(name) ? order.indexOf(name) : order.size();
        Matcher later = BEGIN.matcher(text);
        while (later.find()) {
            if (order.indexOf(later.group(1)) > place) {
                return text.substring(0, later.start()) + whole + "\n\n" + text.substring(later.start());
            }
        }
        return text.stripTrailing() + "\n\n" + whole + "\n";
    }
}
