package dev.leasehold.battery;

import dev.leasehold.servers.report.Svg;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A picture is a history drawn as a lane per worker, with what it waited for and held, one colour per lock, and behind the lanes what
 * the battery did. The names of the lanes are a drawing of their own, which stays where it is while time is scrolled.
 */
final class Picture {

    /** The height at which the lanes begin; above it are the seconds, and rows for the names of faults. */
    private static final int TOP = 62;

    private static final int ROW = 13;
    private static final int ROWS = 3;
    private static final int LANE = 24;
    private static final int BAR = 12;
    private static final int NAMES = 90;
    private static final double WIDTH_OF_CHARACTER = 6.2;
    private static final double WIDTH_OF_SECOND = 90;
    private static final double WIDEST = 30_000;
    private static final double BETWEEN_SECONDS = 45;

    static final String WAITING = "#a8a8a8";
    static final String AT_RISK = "#f0a000";
    static final String BAD = "#c00000";
    static final String FAULT = "#ffe3e3";
    static final String FAULT_HERE = "#ffb0b0";
    static final Map<String, String> LOCKS = locks();

    /** A pattern matches a call in the text of a violation, as {@link Judge} writes it. */
    private static final Pattern RECORD = Pattern.compile("(HoldRecord|Asked)\\[[^\\]]*\\]");

    private final Set<String> accused = new HashSet<>();
    private final List<Call> calls;
    private final List<Disturbance> disturbances;
    private final Map<String, Long> killed = new HashMap<>();
    private final long start;
    private final long end;
    private final double perNano;
    private final Map<String, Integer> lanes = new LinkedHashMap<>();
    private final Svg svg = new Svg(1);

    private Picture(List<Violation> violations, List<Event> history) {
        violations.forEach(violation -> RECORD.matcher(violation.text())
                .results()
                .map(MatchResult::group)
                .forEach(accused::add));
        this.calls = Call.of(history).stream()
                .sorted(Comparator.comparingLong(call -> call.asked().at()))
                .toList();
        this.disturbances = Disturbance.of(history);
        disturbances.stream()
                .filter(fault -> fault.fault().equals(Fault.KILL.word()))
                .forEach(fault -> killed.put(fault.target(), fault.from()));
        this.start = history.stream().mapToLong(Event::at).min().orElse(0);
        this.end = history.stream().mapToLong(Event::at).max().orElse(1);
        double seconds = Math.max(0.1, (end - start) / 1e9);
        this.perNano = Math.min(WIDTH_OF_SECOND, WIDEST / seconds) / 1e9;
        calls.stream()
                .map(Call::worker)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .forEach(worker -> lanes.put(worker, lanes.size()));
    }

    private static Map<String, String> locks() {
        Map<String, String> colours = new LinkedHashMap<>();
        colours.put("battery-mutex", "#1f6fb4");
        colours.put("battery-rw", "#2e8b57");
        colours.put("battery-permits", "#8a5fb5");
        return colours;
    }

    /** Returns the drawings of a history, beside each other: names, and lanes that can be scrolled. */
    static String of(List<Violation> violations, List<Event> history) {
        return new Picture(violations, history).drawn();
    }

    private String drawn() {
        int height = TOP + lanes.size() * LANE + 6;
        disturbances();
        axis();
        lanes.values().forEach(lane -> svg.line(0, top(lane + 1), x(end), top(lane + 1), "#e4e4e4", 1));
        calls.forEach(this::call);
        Svg names = new Svg(1);
        names.text(4, ROW, "", "fault");
        names.text(4, TOP - 6, "", "seconds");
        lanes.forEach((worker, lane) -> names.text(4, top(lane) + 16, "", worker));
        return "<div class=\"picture\"><div>" + names.element(NAMES, height) + "</div><div class=\"time\">"
                + svg.element(x(end) + 30, height) + "</div></div>\n";
    }

    private static double top(int lane) {
        return TOP + lane * (double) LANE;
    }

    private double x(long at) {
        return (Math.min(Math.max(at, start), end) - start) * perNano;
    }

    private String s(long at) {
        return String.format(Locale.ROOT, "%.3f s", (Math.min(at, end) - start) / 1e9);
    }

    private void disturbances() {
        double[] free = new double[ROWS];
        for (Disturbance fault : disturbances) {
            double from = x(fault.from());
            double width = x(fault.to()) - from;
            String says = fault.fault() + " of " + fault.target() + " from " + s(fault.from()) + " to " + s(fault.to());
            svg.rect(from, 0, width, top(lanes.size()), Svg.fill(FAULT), says);
            lanes.forEach((worker, lane) -> {
                if (worker.startsWith(fault.target() + "/")) {
                    svg.rect(from, top(lane), width, LANE, Svg.fill(FAULT_HERE), says);
                }
            });
        }
        for (Disturbance fault : disturbances) {
            String name = fault.fault() + " " + fault.target();
            int row = firstFree(free, x(fault.from()));
            if (row < ROWS) {
                svg.text(x(fault.from()), ROW * (row + 1.0), "", name);
                free[row] = x(fault.from()) + (name.length() + 1) * WIDTH_OF_CHARACTER;
            }
        }
    }

    private static int firstFree(double[] free, double x) {
        int row = 0;
        while (row < ROWS && free[row] > x) {
            row++;
        }
        return row;
    }

    private void axis() {
        double widthOfSecond = perNano * 1e9;
        long step = Arrays.stream(new long[] {1, 2, 5, 10, 30, 60})
                .filter(seconds -> seconds * widthOfSecond >= BETWEEN_SECONDS)
                .findFirst()
                .orElse(300);
        for (long second = 0; start + second * 1_000_000_000 <= end; second += step) {
            double x = second * widthOfSecond;
            svg.line(x, TOP - 16, x, top(lanes.size()), "#c8c8c8", 1);
            svg.text(x + 2, TOP - 6, "", Long.toString(second));
        }
    }

    private void call(Call call) {
        double y = top(lanes.getOrDefault(call.worker(), 0)) + 6;
        String lock = call.asked().lock();
        long until = Math.min(call.waitedUntil(), killed.getOrDefault(call.client(), end));
        double width = x(until) - x(call.asked().at());
        boolean suspect = accused.contains(call.asked().toString());
        if (width >= 1 || suspect) {
            svg.rect(
                    x(call.asked().at()),
                    y + BAR / 2.0 - 1.5,
                    width,
                    3,
                    Svg.fill(WAITING) + outline(suspect),
                    call.worker() + " waited for " + lock + " from "
                            + s(call.asked().at()) + " to " + s(until));
        }
        if (call.isHold()) {
            hold(call, y, lock);
        } else if (call.withdrawn() != null && call.withdrawn().why().startsWith("failed")) {
            svg.cross(
                    x(call.withdrawn().at()),
                    y + BAR / 2.0,
                    BAD,
                    s(call.withdrawn().at()) + ": " + call.withdrawn().why());
        }
    }

    private static String outline(boolean suspect) {
        return suspect ? " stroke=\"" + BAD + "\" stroke-width=\"2.5\"" : "";
    }

    private void hold(Call call, double y, String lock) {
        double from = x(call.granted().at());
        String record = call.toRecord().toString();
        svg.rect(
                from,
                y,
                x(call.believedUntil()) - from,
                BAR,
                Svg.fill(LOCKS.getOrDefault(lock, "#555")) + outline(accused.contains(record)),
                call.worker() + " held " + lock + " from " + s(call.granted().at()) + " to " + s(call.believedUntil())
                        + ", as " + sharing(call.asked().share()) + ", with token "
                        + call.granted().token() + "; " + end(call) + "\n" + record);
        call.risks()
                .forEach(risk -> svg.rect(
                        x(risk.at()),
                        y - 4,
                        x(call.believedUntil()) - x(risk.at()),
                        4,
                        Svg.fill(AT_RISK),
                        "at risk from " + s(risk.at()) + " on"));
        if (call.lost() != null) {
            svg.cross(
                    x(call.lost().at()),
                    y + BAR / 2.0,
                    BAD,
                    "heard of the loss at " + s(call.lost().at()));
        }
    }

    private static String sharing(int share) {
        return switch (share) {
            case 1 -> "the only holder";
            case Integer.MAX_VALUE -> "a reader";
            default -> "one of " + share;
        };
    }

    private static String end(Call call) {
        return switch (call.toRecord().end()) {
            case RELEASED -> "then gave it back";
            case LOST -> "then it was lost, or the store did not answer its release";
            default -> "then its process ended";
        };
    }
}
