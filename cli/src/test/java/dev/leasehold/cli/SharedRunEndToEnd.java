package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests are about {@code leasehold run} with others: so many at a time, or as readers; and how those who share a lock
 * are shown and broken.
 */
class SharedRunEndToEnd {

    private static final String SLOT = "echo slot=$LEASEHOLD_SLOT";
    private static final String STAY = SLOT + "; exec sleep 300";

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    private Program.Run start(String... words) throws Exception {
        Program.Run run = leasehold.start(words);
        awaitLine(run.outFile());
        return run;
    }

    @Test
    void soManyRunAtATimeEachWithASlotOfItsOwn() throws Exception {
        Program.Run first = start("run", "--slots", "2", "api", "sh", "-c", STAY);
        Program.Run second = start("run", "--slots", "2", "api", "sh", "-c", STAY);

        assertThat(first.out()).isEqualTo("slot=0\n");
        assertThat(second.out()).isEqualTo("slot=1\n");
        leasehold.run("run", "-n", "--slots", "2", "api", "true").failed(75, "the command was not run");
        leasehold.run("run", "-v", "-n", "api", "true").failed(75, " and one other; the command was not run");
        first.signal("TERM");
        assertThat(first.status()).isEqualTo(143);
        assertThat(leasehold
                        .run("run", "-n", "--slots", "2", "api", "sh", "-c", SLOT)
                        .succeeded()
                        .out())
                .isEqualTo("slot=0\n");
    }

    @Test
    void readersRunTogetherAndWritersAlone() throws Exception {
        Program.Run reader = start("run", "--shared", "catalog", "sh", "-c", STAY);
        Lease other = leasehold.hold(client -> client.readWriteLock("catalog").read());

        assertThat(reader.out()).isEqualTo("slot=\n");
        leasehold.run("run", "-n", "catalog", "true").failed(75, "the command was not run");
        Program.Run writer = leasehold.start("run", "catalog", "sh", "-c", "echo written");
        await().until(() -> leasehold.here("show", "--json", "catalog").out().contains("\"place\":1"));
        leasehold.run("run", "-n", "--shared", "catalog", "true").failed(75, "the command was not run");
        reader.signal("TERM");
        other.close();
        assertThat(writer.succeeded().out()).isEqualTo("written\n");
    }

    /** The number that an outer run has is not taken for the own. */
    @Test
    void anInnerRunHasItsOwnSlotOrNone() throws Exception {
        String inner = Program.LAUNCHER + " run other sh -c '" + SLOT + "'";
        String beside = Program.LAUNCHER + " run --slots 2 api sh -c '" + SLOT + "'";

        Program.Run outer =
                leasehold.run("run", "--slots", "2", "api", "sh", "-c", SLOT + "; " + inner + "; " + beside);
        assertThat(outer.succeeded().out()).isEqualTo("slot=0\nslot=\nslot=1\n");
        assertThat(outer.err()).isEmpty();
        Program.Run waits = leasehold.start("run", "--shared", "book", "sh", "-c", Program.LAUNCHER + " run book true");
        assertThat(awaitLine(waits.errFile())).contains("'book' is held by the very run that this one is part of");
        waits.signal("TERM");
    }

    @Test
    void allHoldersAreListedWithShareAndSlot() throws Exception {
        leasehold.hold(client -> client.semaphore("api", 3));
        leasehold.hold(client -> client.semaphore("api", 4));
        leasehold.hold(client -> client.readWriteLock("catalog").read());
        leasehold.hold("mutex");

        List<String> rows = leasehold.here("ls").succeeded().out().lines().toList();
        assertThat(rows.get(0)).endsWith("SHARE  SLOT");
        assertThat(rows.get(1)).startsWith("api").endsWith("3      0");
        assertThat(rows.get(2)).startsWith("api").endsWith("4      1");
        assertThat(rows.get(3)).startsWith("catalog").endsWith("any    -");
        assertThat(rows.get(4)).startsWith("mutex").endsWith("alone  -");
        assertThat(leasehold.here("ls", "mutex").out()).doesNotContain("SHARE");
        assertThat(leasehold.here("show", "--json", "api").succeeded().out())
                .contains("\"share\":3,\"slot\":0,", "\"share\":4,\"slot\":1,");
    }

    @Test
    void oneOfSeveralHoldersIsBrokenByItsToken() throws Exception {
        Program.Run first = start("run", "--slots", "2", "api", "sh", "-c", "echo $LEASEHOLD_TOKEN; exec sleep 300");
        Lease second = leasehold.hold(client -> client.semaphore("api", 2));

        Program.Answer unnamed = leasehold.here("break", "--yes", "api");
        assertThat(unnamed.status()).isEqualTo(64);
        assertThat(unnamed.err()).contains("2 holders share the lock 'api': say with --token which lease to end");
        leasehold
                .here("break", "--yes", "--token", "7", "api")
                .failed(1, "no holder of the lock 'api' has the token 7");
        leasehold.here("break", "--yes", "--token", first.out().strip(), "api").succeeded();
        assertThat(first.status()).as(first.err()).isEqualTo(79);
        assertThat(second.isValid()).isTrue();
    }

    /** A permit comes back when its holder is killed, and its lease is over. */
    @Test
    void thePermitOfAKilledRunComesBack() throws Exception {
        Program.Run killed = start("run", "--lease", "10", "--slots", "2", "api", "sh", "-c", STAY);
        leasehold.hold(client -> client.semaphore("api", 2));
        killed.signal("KILL");

        assertThat(leasehold
                        .run("run", "--slots", "2", "api", "sh", "-c", SLOT)
                        .succeeded()
                        .out())
                .isEqualTo("slot=0\n");
    }

    @Test
    void aQuorumHasNoSlots() throws Exception {
        String redlock = "redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3";
        leasehold.here("run", "--store", redlock, "--slots", "2", "api", "true").failed(64, "has no semaphores");
    }
}
