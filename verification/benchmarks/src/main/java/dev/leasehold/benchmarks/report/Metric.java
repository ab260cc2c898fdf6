package dev.leasehold.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** A metric is a measured quantity, with its name in tables and the way in which several values of it become one. */
public enum Metric {
    RATE("grants/s", 0),
    MOVED_RATE("moved to another process, per s", 0),
    WAIT_50("wait: median", "ms", 2),
    WAIT_99("wait: 99 %", "ms", 1),
    WAIT_999("99.9 %", "ms", 1),
    WAIT_MAX("longest", "ms", 0, true),
    WRITER_99("writer's wait: 99 %", "ms", 1),
    WRITER_MAX("longest wait of a writer", "ms", 0, true),
    READER_MAX("longest wait of a reader", "ms", 0, true),
    HAND_OVER_50("release to next holder elsewhere: median", "ms", 2),
    HAND_OVER_99("99 %", "ms", 1),
    CLIENT("client, µs", 0),
    SERVER("server, µs", 0),
    BYTES("bytes", 0),
    REQUESTS("requests", 2),
    MOVED_THREAD("thread changed", "%", 0),
    MOVED_PROCESS("process changed", "%", 0),
    SPREAD("processes' shares apart", "%", 0),
    AT_ONCE("most at once", "", 0, true),
    WARM_UP("warm-up", "s", 0),
    WARMING("compiling in a slice of the warm-up", "%", 1),
    WARMING_RATE("grants/s in a slice of the warm-up", 0),
    COMPILING("compiling", "%", 1),
    GAP("kill to next holder", "s", 2),
    SILENCE("nobody served, at most", "s", 2, true),
    RATE_BEFORE("survivors' grants/s before", 0),
    RATE_AFTER("at the end", 0),
    AT_ONCE_AFTER("most at once at the end", 0),
    LEFT("entries left", 0),
    ENDLESS("of them for ever", 0),
    FIRST("main to first lock", "ms", 0),
    FIRST_ALL("with the JVM's start", "ms", 0),
    FIRST_CPU("processor", "ms", 0),
    HELD("leases held", 0),
    HEAP("heap per lease, bytes", 0),
    CLIENT_CORE("client, of a core", "%", 1),
    SERVER_CORE("server, of a core", "%", 1),
    RENEWAL("client per renewal, µs", 0);

    private final String label;
    private final String unit;
    private final int digits;
    private final boolean worst;

    Metric(String label, int digits) {
        this(label, "", digits);
    }

    Metric(String label, String unit, int digits) {
        this(label, unit, digits, false);
    }

    Metric(String label, String unit, int digits, boolean worst) {
        this.label = label;
        this.unit = unit;
        this.digits = digits;
        this.worst = worst;
    }

    public String label() {
        return label;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** One value for all rounds: the greatest where it is the worst that counts, the median otherwise. */
    public double overall(List<Double> values) {
        return worst
                ? values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN)
                : Median.of(values).value();
    }

    /** Returns whether a small value is good. */
    public boolean isCost() {
        return this != RATE && this != MOVED_RATE;
    }

    public String text(double value) {
        if (Double.isNaN(value) || value < 0) {
            return "–";
        }
        String number = String.format(Locale.ROOT, "%,." + digits + "f", value);
        return unit.isEmpty() ? number : number + (unit.equals("%") ? " %" : " " + unit);
    }
}
