package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class KernelClockTest {

    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @TempDir
    Path proc;

    @Test
    @EnabledOnOs(OS.LINUX)
    void onLinuxTheKernelsClockIsFound() {
        assertThat(ExpiryClock.ofThisMachine()).isInstanceOf(KernelClock.class);
        assertThat(ExpiryClock.ofThisMachine().boot()).matches("[0-9a-f-]{36}(/.*)?");
    }

    @Test
    void aClockThatCountsFromBootIsTheKernels() {
        assertThat(KernelClock.isKernelClock(HOUR, HOUR, HOUR, "any")).isTrue();
    }

    @Test
    void afterASleepOnlyKnownVirtualMachinesAreBelieved() {
        assertThat(KernelClock.isKernelClock(HOUR - SECOND, HOUR, HOUR, "OpenJDK 64-Bit Server VM"))
                .isTrue();
        assertThat(KernelClock.isKernelClock(HOUR - SECOND, HOUR, HOUR, "any")).isFalse();
    }

    @Test
    void aClockWithAnotherOriginIsNot() {
        assertThat(KernelClock.isKernelClock(HOUR + SECOND, HOUR, HOUR, "OpenJDK 64-Bit Server VM"))
                .isFalse();
        assertThat(KernelClock.isKernelClock(-HOUR, HOUR, HOUR, "OpenJDK 64-Bit Server VM"))
                .isFalse();
    }

    @Test
    void theTimeNamespaceIsPartOfTheName() throws IOException {
        String initial = boot("time:[1]", "monotonic 0 0\nboottime 0 0\n");
        String other = boot("time:[2]", "monotonic 0 0\nboottime 0 0\n");
        String shifted = boot("time:[2]", "monotonic 86400 0\nboottime 86400 0\n");
        assertThat(initial).isNotEqualTo(other);
        assertThat(other).isNotEqualTo(shifted);
    }

    @Test
    void withoutProcThereIsNone() {
        assertThat(KernelClock.find(proc.resolve("missing"))).isEmpty();
    }

    private String boot(String namespace, String offsets) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.createDirectories(proc.resolve("self/ns"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "b007\n");
        String uptime = Long.toString(System.nanoTime() / 1_000_000_000 + 1);
        Files.writeString(proc.resolve("uptime"), uptime + ".00 1.00\n");
        Files.writeString(proc.resolve("self/timens_offsets"), offsets);
        Files.deleteIfExists(proc.resolve("self/ns/time"));
        Files.createSymbolicLink(proc.resolve("self/ns/time"), Path.of(namespace));
        return KernelClock.find(proc).orElseThrow().boot();
    }
}
