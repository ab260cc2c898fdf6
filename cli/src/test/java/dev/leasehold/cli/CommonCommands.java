package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.awaitLine;
import static org.assertj.core.api.Assertions.assertThat;

/** Common commands are those that a lock goes through with every store. */
final class CommonCommands {

    private CommonCommands() {}

    /** A lock is run under, listed, shown and broken; its holder ends. */
    static void runListShowAndBreak(Program leasehold) throws Exception {
        Program.Run once = leasehold.run("run", "demo", "sh", "-c", "echo $LEASEHOLD_TOKEN");
        assertThat(Long.parseLong(once.succeeded().out().strip())).isPositive();
        assertThat(once.err()).isEmpty();

        Program.Run holder = leasehold.start("run", "--lease", "20", "demo", "sh", "-c", "echo held; exec sleep 300");
        awaitLine(holder.outFile());
        leasehold.run("run", "-n", "demo", "true").failed(75, "See: leasehold show demo");
        assertThat(leasehold.here("ls", "d*").succeeded().out())
                .contains("demo", "" + holder.process().pid());
        assertThat(leasehold.here("show", "--json", "demo").succeeded().out())
                .contains("\"pid\":" + holder.process().pid());
        assertThat(leasehold.here("break", "--yes", "demo").succeeded().err()).contains("is broken");
        assertThat(holder.status()).as(holder.err()).isEqualTo(79);
    }
}
