package dev.leasehold.battery;

import dev.leasehold.servers.report.Svg;
import java.util.List;
import java.util.Locale;

/** A page is the picture of a run with what explains it, as one HTML file that needs no server and nothing else. */
final class Page {

    private static final int MOST_SHOWN = 50;
    private static final String STYLE =
            "body{font:14px/1.5 sans-serif;margin:16px}svg{font:11px sans-serif;display:block}"
                    + ".picture{display:flex;border:1px solid #ccc}.time{overflow-x:auto;border-left:1px solid #ccc}"
                    + ".key span{white-space:nowrap;margin-right:18px}.key svg{display:inline-block;vertical-align:-3px;margin-right:5px}"
                    + "li{font-family:monospace;overflow-wrap:anywhere}";

    private Page() {}

    static String of(Result result, List<Event> history) {
        String title = result.plan().title() + " under " + result.plan().fault().word();
        return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>" + title + "</title>\n<style>"
                + STYLE + "</style></head><body>\n<h1>" + title + "</h1>\n<p>" + summary(result) + "</p>\n"
                + violations(result.violations())
                + "<p>A lane for each worker, <i>client/worker</i>; time goes to the right, in seconds since the first event. "
                + "Rest the pointer on something to read more.</p>\n" + key()
                + Picture.of(result.violations(), history) + "</body></html>\n";
    }

    private static String summary(Result result) {
        return Svg.escaped(String.format(
                Locale.ROOT,
                "%d grants, %d faults, %d violations; the longest wait was %.1f s. Leases of %d ms, seed %d. The store promises: %s.",
                result.grants(),
                result.strikes(),
                result.violations().size(),
                result.longestWait().toMillis() / 1000.0,
                result.plan().lease().toMillis(),
                result.plan().seed(),
                switch (result.promise()) {
                    case EXCLUDED -> "never more holders than the lock allows (excluded)";
                    case FENCED -> "after a fault perhaps two holders for a while, whose tokens tell (fenced only)";
                    case NONE -> "nothing is promised";
                }));
    }

    private static String violations(List<Violation> violations) {
        if (violations.isEmpty()) {
            return "";
        }
        StringBuilder list = new StringBuilder("<ul>\n");
        violations.stream()
                .limit(MOST_SHOWN)
                .forEach(violation -> list.append("<li>")
                        .append(Svg.escaped(violation.toString()))
                        .append("</li>\n"));
        if (violations.size() > MOST_SHOWN) {
            list.append("<li>and ").append(violations.size() - MOST_SHOWN).append(" more in violations.txt</li>\n");
        }
        return list.append("</ul>\n").toString();
    }

    private static String key() {
        StringBuilder key = new StringBuilder("<p class=\"key\">");
        entry(key, bar(7, 3, Picture.WAITING), "waits");
        Picture.LOCKS.forEach((lock, colour) -> entry(key, bar(2, 12, colour), "holds " + lock));
        Svg risk = bar(0, 4, Picture.AT_RISK);
        entry(key, risk, "its lease is at risk");
        Svg lost = new Svg(1);
        lost.cross(12, 8, Picture.BAD, "");
        entry(key, lost, "hears that it is lost, or a call failed");
        entry(key, bar(0, 16, Picture.FAULT), "a fault is on");
        entry(key, bar(0, 16, Picture.FAULT_HERE), "this client is struck");
        Svg accused = new Svg(1);
        accused.rect(2, 2, 20, 12, "fill=\"#fff\" stroke=\"" + Picture.BAD + "\" stroke-width=\"2.5\"", "");
        entry(key, accused, "named in a violation");
        return key.append("</p>\n").toString();
    }

    private static Svg bar(double y, double height, String colour) {
        Svg bar = new Svg(1);
        bar.rect(0, y, 24, height, Svg.fill(colour), "");
        return bar;
    }

    private static void entry(StringBuilder key, Svg sample, String words) {
        key.append("<span>").append(sample.element(24, 16)).append(words).append("</span> ");
    }
}
