package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clocks are moved where there is a compiler, and the machine's clock is read all the same. */
@Tag("slow")
class ClockShimTest {

    private static final long HOUR_MICROS = 3_600_000_000L;

    @TempDir
    private Path directory;

    @BeforeEach
    void needsCompiler() {
        assumeTrue(ClockShim.isThere(), "there is no cc");
    }

    /** Clocks prints the wall clock, the monotonic clock and the machine's, in seconds. */
    static final class Clocks {
        public static void main(String[] args) {
            System.out.print(System.currentTimeMillis() / 1_000 + " " + System.nanoTime() / 1_000_000_000 + " "
                    + MachineClock.nanoTime() / 1_000_000_000);
        }
    }

    private long[] seen(ClockShim shim) throws Exception {
        Path output = Files.createTempFile(directory, "clocks", "");
        Jvm.start(List.of(), shim.environment(), Clocks.class.getName(), List.of(), output)
                .waitFor();
        return List.of(Files.readString(output, StandardCharsets.UTF_8).split(" ", -1)).stream()
                .mapToLong(Long::parseLong)
                .toArray();
    }

    @Test
    @DisplayName("A process finds its clocks moved and still reads the machine's")
    void aProcessReadsMovedClocksAndTheMachines() throws Exception {
        ClockShim shim = ClockShim.create(directory.resolve("offsets"));
        shim.moveWall(HOUR_MICROS);
        shim.sleptFor(5_000_000);
        long wall = System.currentTimeMillis() / 1_000;
        long monotonic = System.nanoTime() / 1_000_000_000;
        long[] seen = seen(shim);
        assertThat(seen[0]).isBetween(wall + 3_600, wall + 3_660);
        assertThat(seen[1]).isBetween(monotonic - 5, seen[2] - 4);
        assertThat(seen[2]).isBetween(monotonic, monotonic + 60);
    }
}
