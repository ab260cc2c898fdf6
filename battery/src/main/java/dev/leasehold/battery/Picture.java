package dev.leasehold.battery;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * A picture is a history drawn as one HTML page with an SVG in it, which needs no server and nothing else: a lane per worker with what
 * it waited for and held, one colour per lock, and behind the lanes what the battery did. Resting the pointer on something says more.
 */
final class Picture {

    private static final int LEFT = 110;
    private static final int TOP = 46;
    private static final int LANE = 22;
    private static final int BAR = 12;
    private static final double WIDTH_OF_SECOND = 90;
    private static final int WIDEST = 30_000;

    private static final Map<String, String> COLOURS =
            Map.of("battery-mutex", "#1f6fb4", "battery-rw", "#2e8b57", "battery-permits", "#8a5fb5");

    private final Result result;
    private final List<Call> calls;
    private final List<Disturbance> disturbances;
    private final long start;
    private final long end;
    private final double perNano;
    private final Map<String, Integer> lanes = new LinkedHashMap<>();
    private final StringBuilder svg = new StringBuilder();

    private Picture(Result result, List<Event> history) {
        this.result = result;
        this.calls = Call.of(history).stream()
                .sorted(Comparator.comparingLong(call -> call.asked().at()))
                .toList();
        this.disturbances = Disturbance.of(history);
        this.start = history.stream().mapToLong(Event::at).min().orElse(0);
        this.end = history.stream().mapToLong(Event::at).max().orElse(1);
        double seconds = Math.max(0.1, (end - start) / 1e9);
        this.perNano = Math.min(WIDTH_OF_SECOND, WIDEST / seconds) / 1e9;
        for (String worker : new TreeSet<>(calls.stream().map(Call::worker).toList())) {
            lanes.put(worker, lanes.size());
        }
    }

    static String of(Result result, List<Event> history) {
        return new Picture(result, history).page();
    }

    private String page() {
        int height = TOP + lanes.size() * LANE + 20;
        double width = LEFT + x(end) + 20;
        disturbances.forEach(this::disturbance);
        axis(height);
        lanes.forEach(this::lane);
        calls.forEach(this::call);
        StringBuilder page = new StringBuilder(
                        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(title())
                .append(
                        "</title>\n<style>body{font:14px sans-serif;margin:16px}div{overflow-x:auto;border:1px solid #ccc}")
                .append("svg{font:11px sans-serif;display:block}.key span{display:inline-block;width:14px;height:10px;")
                .append("margin:0 4px 0 14px}li{font-family:monospace;white-space:pre-wrap}</style></head><body>\n<h1>")
                .append(title())
                .append("</h1>\n<p>")
                .append(escaped(Report.line(result)))
                .append("; seed ")
                .append(result.plan().seed())
                .append(".</p>\n<p class=\"key\">");
        COLOURS.forEach((lock, colour) -> key(page, colour, "holds " + lock));
        key(page, "#d9d9d9", "waits");
        key(page, "#f0a000", "at risk");
        key(page, "#c00000", "lost, failed");
        key(page, "#ffd9d9", "a fault");
        page.append(" (outlined in red: in a violation)</p>\n");
        if (!result.violations().isEmpty()) {
            page.append("<ul>\n");
            result.violations().stream()
                    .limit(50)
                    .forEach(violation -> page.append("<li>")
                            .append(escaped(violation.toString()))
                            .append("</li>\n"));
            page.append("</ul>\n");
        }
        return page.append(String.format(
                        Locale.ROOT,
                        "<div><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\">%n",
                        width,
                        height))
                .append(svg)
                .append("</svg></div>\n</body></html>\n")
                .toString();
    }

    private String title() {
        return result.plan().store().word() + " under " + result.plan().fault().word();
    }

    private static void key(StringBuilder page, String colour, String what) {
        page.append("<span style=\"background:")
                .append(colour)
                .append("\"></span>")
                .append(what);
    }

    private double x(long at) {
        return (Math.min(Math.max(at, start), end) - start) * perNano;
    }

    private double ms(long at) {
        return (at - start) / 1e6;
    }

    private void rect(long from, long to, double y, double height, String style, String says) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s><title>%s</title></rect>%n",
                LEFT + x(from),
                y,
                Math.max(1, x(to) - x(from)),
                height,
                style,
                escaped(says)));
    }

    private void text(double x, double y, String words) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, escaped(words)));
    }

    private void disturbance(Disturbance fault) {
        String says = String.format(
                Locale.ROOT,
                "%s of %s, %.0f to %.0f ms",
                fault.fault(),
                fault.target(),
                ms(fault.from()),
                ms(Math.min(end, fault.to())));
        rect(fault.from(), fault.to(), 18, TOP + lanes.size() * LANE - 18, "fill=\"#ffd9d9\"", says);
        text(LEFT + x(fault.from()), 14, fault.fault() + " " + fault.target());
        // The lanes of whom it struck.
        lanes.forEach((worker, lane) -> {
            if (worker.startsWith(fault.target() + "/")) {
                rect(fault.from(), fault.to(), TOP + lane * LANE, LANE, "fill=\"#ff9c9c\"", says);
            }
        });
    }

    private void axis(int height) {
        for (long second = 0; start + second * 1_000_000_000 <= end; second++) {
            double x = LEFT + x(start + second * 1_000_000_000);
            svg.append(String.format(
                    Locale.ROOT, "<path d=\"M%.1f 30V%d\" stroke=\"#bbb\" stroke-width=\"0.5\"/>%n", x, height - 18));
            if (perNano * 1e9 > 40 || second % 10 == 0) {
                text(x + 2, TOP - 8, second + " s");
            }
        }
    }

    private void lane(String worker, int lane) {
        text(4, TOP + lane * LANE + 13, worker);
        svg.append(String.format(
                Locale.ROOT, "<path d=\"M0 %d H%.1f\" stroke=\"#eee\"/>%n", TOP + (lane + 1) * LANE, LEFT + x(end)));
    }

    private void call(Call call) {
        double y = TOP + lanes.get(call.worker()) * LANE + 5;
        String lock = call.asked().lock();
        rect(
                call.asked().at(),
                call.waitedUntil(),
                y + BAR / 2.0 - 1.5,
                3,
                "fill=\"#a8a8a8\"",
                String.format(
                        Locale.ROOT,
                        "waited for %s from %.1f to %.1f ms",
                        lock,
                        ms(call.asked().at()),
                        ms(Math.min(end, call.waitedUntil()))));
        if (call.isHold()) {
            hold(call, y, lock);
        } else if (call.withdrawn() != null && call.withdrawn().why().startsWith("failed")) {
            cross(call.withdrawn().at(), y, call.withdrawn().why());
        }
    }

    private void hold(Call call, double y, String lock) {
        String record = call.toRecord().toString();
        boolean accused = result.violations().stream()
                .anyMatch(violation -> violation.text().contains(record));
        String style = String.format(
                Locale.ROOT,
                "fill=\"%s\"%s",
                COLOURS.getOrDefault(lock, "#555"),
                accused ? " stroke=\"#c00000\" stroke-width=\"2.5\"" : "");
        String says = String.format(
                Locale.ROOT,
                "%s held %s from %.1f to %.1f ms, token %d, share %d, %s\n%s",
                call.worker(),
                lock,
                ms(call.granted().at()),
                ms(call.believedUntil()),
                call.granted().token(),
                call.asked().share(),
                call.toRecord().end(),
                record);
        rect(call.granted().at(), call.believedUntil(), y, BAR, style, says);
        call.risks()
                .forEach(risk -> rect(
                        risk.at(), Math.max(risk.at(), call.believedUntil()), y - 3, 3, "fill=\"#f0a000\"", "at risk"));
        if (call.lost() != null) {
            cross(call.lost().at(), y, "heard of the loss at " + ms(call.lost().at()) + " ms");
        }
    }

    private void cross(long at, double y, String says) {
        svg.append(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f %.1fl8 12m0 -12l-8 12\" stroke=\"#c00000\" stroke-width=\"2\"><title>%s</title></path>%n",
                LEFT + x(at) - 4,
                y,
                escaped(says)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
