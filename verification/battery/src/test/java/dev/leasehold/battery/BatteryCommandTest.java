package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The command as it is called, and its long form. */
@Tag("slow")
@Timeout(value = 24, unit = TimeUnit.HOURS)
class BatteryCommandTest {

    private static int execute(PrintStream out, String... arguments) {
        CommandLine command = BatteryCommand.commandLine(out);
        command.setErr(new PrintWriter(new StringWriter()));
        return command.execute(arguments);
    }

    @Test
    void wrongUsageIsRefused() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        assertThat(execute(nowhere, "--store", "oracle")).isEqualTo(2);
        assertThat(execute(nowhere, "--fault", "earthquake")).isEqualTo(2);
        assertThat(execute(nowhere, "--store", "sqlite", "--fault", "cut")).isEqualTo(2);
        assertThat(execute(nowhere, "--minutes", "-1")).isEqualTo(2);
        assertThat(execute(nowhere, "soak", "--store", "oracle")).isEqualTo(2);
        assertThat(execute(nowhere, "soak", "--minutes", "0")).isEqualTo(2);
    }

    /** Every store under every fault, unless {@code -Dbattery.arguments} names others. */
    @Test
    @Tag("extended")
    void allStoresKeepAllPromises() {
        String arguments = System.getProperty("battery.arguments", "--minutes 15");
        String directory = Path.of("target", "battery").toAbsolutePath() + "/" + System.nanoTime();
        assertThat(execute(System.out, (arguments + " --out " + directory).split(" ", -1)))
                .as("histories and pictures in %s", directory)
                .isZero();
    }
}
