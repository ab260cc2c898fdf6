package dev.leasehold.cli;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lock table shows locks to people: one row per holder or waiter. */
final class LockTable {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final String NAMESPACE = "NAMESPACE";
    private static final List<String> HEADER =
            List.of("NAME", "ROLE", "HOST", "PID", "COMMAND", "SINCE", "UNTIL", "TOKEN");
    private static final List<String> SHARED_HEADER = List.of("SHARE", "SLOT");

    private LockTable() {}

    static String time(Instant instant) {
        return TIME.format(instant.atZone(ZoneId.systemDefault()));
    }

    /**
     * Returns the table, with a column for the namespace, unless that is empty, and two for shares and slots, if
     * anything is shared.
     */
    static String of(List<LockInfo> locks, String namespace) {
        boolean shared = locks.stream().anyMatch(LockTable::isShared);
        List<List<String>> rows = new ArrayList<>();
        rows.add(shared ? with(HEADER, SHARED_HEADER) : HEADER);
        for (LockInfo lock : locks) {
            for (HolderInfo holder : lock.holders()) {
                boolean kept = holder.owner().isEmpty();
                List<String> row = row(
                        lock,
                        kept ? "kept" : "holder",
                        holder.owner(),
                        holder.since(),
                        holder.until(),
                        kept ? "" : Long.toString(holder.token()));
                rows.add(shared ? with(row, List.of(share(holder.share()), slot(holder))) : row);
            }
            for (WaiterInfo waiter : lock.waiters()) {
                List<String> row = row(lock, "waiter " + waiter.place(), waiter.owner(), waiter.since(), null, "");
                rows.add(shared ? with(row, List.of(share(waiter.share()), "")) : row);
            }
            if (lock.holders().isEmpty() && lock.waiters().isEmpty()) {
                List<String> row = row(lock, "no majority", "", null, null, "");
                rows.add(shared ? with(row, List.of("", "")) : row);
            }
        }
        return aligned(namespace.isEmpty() ? rows : within(namespace, rows)) + disagreement(locks);
    }

    private static boolean isShared(LockInfo lock) {
        return lock.holders().stream().anyMatch(holder -> holder.share() != Claim.EXCLUSIVE)
                || lock.waiters().stream().anyMatch(waiter -> waiter.share() != Claim.EXCLUSIVE);
    }

    /** Returns with how many a lock is shared, in a word. */
    static String share(int share) {
        return share == Claim.EXCLUSIVE ? "alone" : share == Claim.UNLIMITED ? "any" : Integer.toString(share);
    }

    private static String slot(HolderInfo holder) {
        return holder.slot().isPresent() ? Integer.toString(holder.slot().getAsInt()) : "";
    }

    private static List<String> with(List<String> row, List<String> more) {
        List<String> longer = new ArrayList<>(row);
        longer.addAll(more);
        return longer;
    }

    private static List<List<String>> within(String namespace, List<List<String>> rows) {
        List<List<String>> wider = new ArrayList<>();
        for (List<String> row : rows) {
            List<String> cells = new ArrayList<>(row);
            cells.add(0, wider.isEmpty() ? NAMESPACE : Escapes.shown(namespace));
            wider.add(cells);
        }
        return wider;
    }

    private static String disagreement(List<LockInfo> locks) {
        StringBuilder text = new StringBuilder();
        for (LockInfo lock : locks) {
            if (!lock.disagreement().isEmpty()) {
                text.append("\nNot all nodes agree on '")
                        .append(Escapes.shown(lock.name()))
                        .append("':\n");
                lock.disagreement()
                        .forEach(node -> text.append("  ")
                                .append(Escapes.shown(node.toString()))
                                .append('\n'));
            }
        }
        return text.toString();
    }

    private static List<String> row(
            LockInfo lock, String role, String owner, @Nullable Instant since, @Nullable Instant until, String token) {
        Owner who = Owner.parse(owner);
        return List.of(
                Escapes.shown(lock.name()),
                role,
                Escapes.shown(who.host()),
                Escapes.shown(who.pid()),
                Escapes.shown(who.label()),
                since == null ? "" : time(since),
                until == null ? "" : time(until),
                token);
    }

    private static String aligned(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i).isEmpty() ? "-" : row.get(i);
                line.append(cell).append(" ".repeat(Math.max(0, widths[i] - width(cell)) + 2));
            }
            table.append(line.toString().stripTrailing()).append('\n');
        }
        return table.toString();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
