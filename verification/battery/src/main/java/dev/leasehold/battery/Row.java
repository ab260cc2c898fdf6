package dev.leasehold.battery;

import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A row is one run as the committed file of results keeps it, a line of comma-separated values.
 *
 * @param date when it was
 * @param peer the library
 * @param library its version
 * @param store the store
 * @param server its version
 * @param broken the rules that were broken, each as often as it was
 * @param load the machine's load average at the end of the run; NaN where it was not noted
 * @param overlaps how many holds began beside others with which they cannot be
 */
record Row(
        LocalDate date,
        Peer peer,
        String library,
        StoreKind store,
        String server,
        Fault fault,
        Promise promise,
        long seconds,
        long grants,
        long strikes,
        long overlaps,
        List<Violation.Rule> broken,
        long longestWaitMillis,
        long seed,
        long leaseMillis,
        int clients,
        double load) {

    static final String HEADER =
            "date,peer,library,store,server,fault,promise,seconds,grants,strikes,overlaps,broken,longest_wait_ms,seed,lease_ms,clients,load";

    static Row of(LocalDate date, Result result) {
        Plan plan = result.plan();
        return new Row(
                date,
                plan.peer(),
                plan.peer().version(),
                plan.store(),
                result.server(),
                plan.fault(),
                result.promise(),
                result.took().toSeconds(),
                result.grants(),
                result.strikes(),
                result.overlaps(),
                result.violations().stream().map(Violation::rule).toList(),
                result.longestWait().toMillis(),
                plan.seed(),
                plan.lease().toMillis(),
                plan.clients(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    String toLine() {
        List<Object> parts = new ArrayList<>(List.of(
                date,
                peer.word(),
                library,
                store.word(),
                server,
                fault.word(),
                promise,
                seconds,
                grants,
                strikes,
                overlaps));
        parts.add(String.join(" ", broken.stream().map(Enum::name).toList()));
        parts.addAll(List.of(longestWaitMillis, seed, leaseMillis, clients));
        if (!Double.isNaN(load)) {
            parts.add(String.format(Locale.ROOT, "%.1f", load));
        }
        return String.join(",", parts.stream().map(Object::toString).toList());
    }

    static Row parse(String line) {
        String[] p = line.split(",", -1);
        return new Row(
                LocalDate.parse(p[0]),
                Peer.named(p[1]),
                p[2],
                StoreKind.named(p[3]),
                p[4],
                Fault.named(p[5]),
                Promise.valueOf(p[6]),
                Long.parseLong(p[7]),
                Long.parseLong(p[8]),
                Long.parseLong(p[9]),
                Long.parseLong(p[10]),
                p[11].isEmpty()
                        ? List.of()
                        : List.of(p[11].split(" ", -1)).stream()
                                .map(Violation.Rule::valueOf)
                                .toList(),
                Long.parseLong(p[12]),
                Long.parseLong(p[13]),
                Long.parseLong(p[14]),
                Integer.parseInt(p[15]),
                p.length > 16 ? Double.parseDouble(p[16]) : Double.NaN);
    }
}
