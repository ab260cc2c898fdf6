package dev.leasehold.jdbc.sqlite;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The kernel clock is Linux's {@code CLOCK_MONOTONIC}, which all processes share from one boot to the next and nobody can
 * set.
 *
 * <p>Java does not promise that {@link System#nanoTime()} is this clock, only HotSpot's sources do. So it is checked. The
 * kernel shows {@code CLOCK_BOOTTIME} in {@code /proc/uptime}: the same clock plus the time that the machine has slept.
 *
 * <ul>
 *   <li>If nanoTime equals it, nanoTime counts from boot: this is the clock, whatever the virtual machine.
 *   <li>If nanoTime is behind it, either the machine has slept or nanoTime has another origin. Then the virtual machine
 *       has to be one of those that are known to use this clock.
 *   <li>If nanoTime is ahead of it, it is something else.
 * </ul>
 *
 * A wrong "no" costs little: the process then keeps time by the wall clock, under another name, and rows written under
 * another name end one full lease after they were first seen. The name is the boot id together with the time namespace
 * and its offsets, because processes in two time namespaces of one machine read this clock differently.
 */
final class KernelClock implements ExpiryClock {

    private static final long TOLERANCE_NANOS = 30_000_000;
    private static final Pattern NO_OFFSETS = Pattern.compile("\\s*monotonic\\s+0\\s+0\\s+boottime\\s+0\\s+0\\s*");

    private final String boot;

    private KernelClock(String boot) {
        this.boot = boot;
    }

    static Optional<ExpiryClock> find(Path proc) {
        try {
            String boot = read(proc.resolve("sys/kernel/random/boot_id")).strip();
            long before = uptimeNanos(proc);
            long nanos = System.nanoTime();
            long after = uptimeNanos(proc);
            String vm = System.getProperty("java.vm.name", "");
            return boot.isEmpty() || !isKernelClock(nanos, before, after, vm)
                    ? Optional.empty()
                    : Optional.of(new KernelClock(boot + timeNamespace(proc)));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns whether a reading of nanoTime between two readings of the time since boot can only be the kernel's clock. */
    static boolean isKernelClock(long nanos, long uptimeBefore, long uptimeAfter, String virtualMachine) {
        if (nanos <= 0 || nanos > uptimeAfter + TOLERANCE_NANOS) {
            return false;
        }
        if (nanos >= uptimeBefore - TOLERANCE_NANOS) {
            return true;
        }
        String vm = virtualMachine.toLowerCase(Locale.ROOT);
        return vm.contains("hotspot") || vm.contains("openjdk") || vm.contains("substrate") || vm.contains("graalvm");
    }

    private static long uptimeNanos(Path proc) throws IOException {
        String text = read(proc.resolve("uptime"));
        return new BigDecimal(text.substring(0, text.indexOf(' ')))
                .movePointRight(9)
                .longValueExact();
    }

    private static String timeNamespace(Path proc) throws IOException {
        Path namespace = proc.resolve("self/ns/time");
        if (!Files.isSymbolicLink(namespace)) {
            return "";
        }
        String offsets = read(proc.resolve("self/timens_offsets"));
        return "/" + Files.readSymbolicLink(namespace)
                + (NO_OFFSETS.matcher(offsets).matches()
                        ? ""
                        : "/" + offsets.strip().replaceAll("\\s+", " "));
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    @Override
    public String boot() {
        return boot;
    }

    @Override
    public long micros() {
        return System.nanoTime() / 1000;
    }
}
