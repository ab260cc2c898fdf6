package dev.leasehold.battery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Soak gauges tell what processes and servers had while nothing was asked for, several times in a soak; and whether they had
 * more in the end.
 */
final class SoakGauges {

    private static final long MEBI = 1 << 20;

    /** A collection may leave so much behind at one time and not at another: a cache of the JVM, classes that were loaded late. */
    private static final long HEAP_SLACK = 4 * MEBI;

    /** A pool of the JVM or of a driver may have grown by a thread, and reopened a file. */
    private static final long FEW = 3;

    /** A moment is one of those at which the gauges were read. */
    private record Moment(Map<String, ClientGauges> clients, Map<String, Long> store) {}

    private final List<Moment> moments = new ArrayList<>();

    void add(Map<String, ClientGauges> clients, Map<String, Long> store) {
        moments.add(new Moment(Map.copyOf(clients), new LinkedHashMap<>(store)));
    }

    /**
     * Returns the gauges that are greater in the end than at the beginning. A client that began later is compared with
     * the greatest of those.
     */
    List<String> grown() {
        Moment first = moments.get(0);
        Moment last = moments.get(moments.size() - 1);
        List<String> grown = new ArrayList<>();
        last.clients().forEach((name, now) -> {
            ClientGauges before = first.clients().getOrDefault(name, greatest(first));
            more(grown, name + ": heap", before.heap(), now.heap(), HEAP_SLACK + before.heap() / 4);
            more(grown, name + ": threads", before.threads(), now.threads(), FEW);
            more(grown, name + ": open files", before.files(), now.files(), FEW);
        });
        last.store()
                .forEach((what, now) -> more(
                        grown,
                        what,
                        first.store().getOrDefault(what, 0L),
                        now,
                        slack(what, last.clients().size())));
        return grown;
    }

    private static long slack(String what, int clients) {
        return switch (what) {
            case "connections", "channels" -> clients; // A pool of each client may have opened one more.
            case "nodes" -> Soak.LOCKS; // ZooKeeper deletes a lock's empty node within the next minute or two.
            default -> 0;
        };
    }

    private static void more(List<String> grown, String what, long before, long now, long slack) {
        if (now > before + slack) {
            grown.add(what + " was " + before + " and is " + now);
        }
    }

    private static ClientGauges greatest(Moment moment) {
        return moment.clients().values().stream()
                .reduce((one, other) -> new ClientGauges(
                        Math.max(one.heap(), other.heap()),
                        Math.max(one.threads(), other.threads()),
                        Math.max(one.files(), other.files())))
                .orElseThrow();
    }

    /**
     * Returns a table with a line for each thing that is counted, a column for each moment. Of clients, the least and
     * the greatest.
     */
    String table() {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (Moment moment : moments) {
            line(lines, "clients", Integer.toString(moment.clients().size()));
            line(
                    lines,
                    "heap of a client after GC, MiB",
                    range(
                            moment.clients().values().stream()
                                    .map(gauges -> (double) gauges.heap() / MEBI)
                                    .toList(),
                            "%.1f"));
            line(
                    lines,
                    "threads of a client",
                    range(
                            moment.clients().values().stream()
                                    .map(gauges -> (double) gauges.threads())
                                    .toList(),
                            "%.0f"));
            line(
                    lines,
                    "open files of a client",
                    range(
                            moment.clients().values().stream()
                                    .map(gauges -> (double) gauges.files())
                                    .toList(),
                            "%.0f"));
            moment.store().forEach((what, value) -> line(lines, what, Long.toString(value)));
        }
        return lines.entrySet().stream()
                .map(line -> "| " + line.getKey() + " | " + String.join(" | ", line.getValue()) + " |\n")
                .collect(Collectors.joining());
    }

    private static void line(Map<String, List<String>> lines, String what, String value) {
        lines.computeIfAbsent(what, w -> new ArrayList<>()).add(value);
    }

    private static String range(List<Double> values, String format) {
        String least = String.format(
                Locale.ROOT, format, values.stream().mapToDouble(v -> v).min().orElse(0));
        String most = String.format(
                Locale.ROOT, format, values.stream().mapToDouble(v -> v).max().orElse(0));
        return least.equals(most) ? least : least + " to " + most;
    }
}
