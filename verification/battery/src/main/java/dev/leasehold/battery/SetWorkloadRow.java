package dev.leasehold.battery;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A row is one run of the set workload as the committed file of results keeps it. */
record SetWorkloadRow(
        LocalDate date,
        Peer peer,
        StoreKind store,
        Guard guard,
        boolean shared,
        long updates,
        long lost,
        long refused,
        long reads,
        long torn,
        long pauses,
        long seed) {

    static final String HEADER = "date,peer,store,guard,readers,updates,lost,refused,reads,torn,pauses,seed";

    static SetWorkloadRow of(LocalDate date, SetWorkload.Outcome outcome) {
        GuardedSet.Counts counts = outcome.counts();
        return new SetWorkloadRow(
                date,
                outcome.plan().peer(),
                outcome.plan().store(),
                outcome.guard(),
                outcome.shared(),
                counts.added(),
                counts.lost(),
                counts.refused(),
                counts.reads(),
                counts.torn(),
                outcome.pauses(),
                outcome.plan().seed());
    }

    String toLine() {
        return String.join(
                ",",
                List.of(
                                date,
                                peer.word(),
                                store.word(),
                                guard.word(),
                                shared,
                                updates,
                                lost,
                                refused,
                                reads,
                                torn,
                                pauses,
                                seed)
                        .stream()
                        .map(Object::toString)
                        .toList());
    }

    static SetWorkloadRow parse(String line) {
        String[] p = line.split(",", -1);
        return new SetWorkloadRow(
                LocalDate.parse(p[0]),
                Peer.named(p[1]),
                StoreKind.named(p[2]),
                Guard.valueOf(p[3].toUpperCase(java.util.Locale.ROOT)),
                Boolean.parseBoolean(p[4]),
                number(p, 5),
                number(p, 6),
                number(p, 7),
                number(p, 8),
                number(p, 9),
                number(p, 10),
                number(p, 11));
    }

    private static long number(String[] parts, int index) {
        return Long.parseLong(parts[index]);
    }

    private String variant() {
        return guard.word() + (shared ? " with readers" : "");
    }

    /** Writes a row for each store or peer, a column for each use of tokens. */
    static String table(List<SetWorkloadRow> rows) {
        List<String> variants =
                List.of("unguarded", "writes", "registered", "unguarded with readers", "registered with readers");
        Map<Integer, SetWorkloadRow> names = new TreeMap<>();
        rows.forEach(row -> names.putIfAbsent(row.peer.ordinal() * 100 + row.store.ordinal(), row));
        StringBuilder table = new StringBuilder(
                "| lock set | no tokens | tokens at writes | tokens registered before the first read |"
                        + " readers too, no tokens | readers too, tokens registered |\n|---|---|---|---|---|---|\n");
        for (SetWorkloadRow name : names.values()) {
            table.append("| ")
                    .append(name.peer.isOurs() ? name.store.word() : name.peer.word() + " on " + name.store.word())
                    .append(" |");
            for (String variant : variants) {
                List<SetWorkloadRow> of = rows.stream()
                        .filter(row -> row.peer == name.peer
                                && row.store == name.store
                                && row.variant().equals(variant))
                        .toList();
                table.append(' ').append(cell(of)).append(" |");
            }
            table.append('\n');
        }
        return table.toString();
    }

    private static String cell(List<SetWorkloadRow> of) {
        if (of.isEmpty()) {
            return "no tokens";
        }
        String text = of.stream().mapToLong(SetWorkloadRow::lost).sum() + " lost of "
                + of.stream().mapToLong(SetWorkloadRow::updates).sum();
        return of.get(0).shared
                ? text + ", " + of.stream().mapToLong(SetWorkloadRow::torn).sum() + " readers of "
                        + of.stream().mapToLong(SetWorkloadRow::reads).sum() + " saw a change"
                : text;
    }
}
