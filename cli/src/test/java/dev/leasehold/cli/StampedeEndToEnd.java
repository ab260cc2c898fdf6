package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** At midnight cron starts many runs at once, and the machine is busy for a while: each of them has its turn. */
class StampedeEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @Test
    void someRunsThatStartAtOnceHaveTheirTurn() throws Exception {
        allHaveTheirTurn(leasehold.store(), 8);
    }

    /** These keep two processors busy for minutes, and every other test from its turn. */
    @Tag("extended")
    @Test
    void allRunsThatStartAtOnceOnSqliteHaveTheirTurn() throws Exception {
        allHaveTheirTurn(leasehold.store(), 24);
    }

    @Tag("extended")
    @Test
    void allRunsThatStartAtOnceOnRedisHaveTheirTurn() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            allHaveTheirTurn(redis.uri(), 24);
        }
    }

    private void allHaveTheirTurn(String store, int count) throws Exception {
        leasehold
                .start(Map.of("LEASEHOLD_STORE", store), List.of("run", "demo", "true"))
                .succeeded();
        List<Program.Run> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(leasehold.start(
                    Map.of("LEASEHOLD_STORE", store), List.of("run", "demo", "sh", "-c", "echo >>turns")));
        }
        for (Program.Run run : runs) {
            run.process().waitFor();
            assertThat(run.err()).isEmpty();
        }
        assertThat(Files.readAllLines(dir.resolve("turns"))).hasSize(count);
    }

    /** A single try waited a minute for a silent store. */
    @Test
    void aTryGivesUpOnASilentStoreSooner() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Program.Run run =
                    leasehold.run("run", "-n", "--store", "redis://127.0.0.1:" + silent.getLocalPort(), "demo", "true");
            assertThat(run.failed(69, "did not answer for").err())
                    .containsPattern("did not answer for [1-4]\\d(\\.\\d+)? s");
        }
    }

    /** What a user has said in the URI counts, and is not said twice. */
    @Test
    void theTimeForTheStoreIsTheUsers() throws Exception {
        String brief = "redis://127.0.0.1:1?leasehold.storeTimeout=300";
        leasehold.run("run", "--store", brief, "demo", "true").failed(69, "did not answer for");
        leasehold
                .run("run", "--store", "redis://127.0.0.1:1", "--store-timeout", "400ms", "demo", "true")
                .failed(69, "did not answer for");
        leasehold
                .run("run", "--store", brief, "--store-timeout", "1m", "demo", "true")
                .failed(64, "given twice");
        leasehold.run("run", "--store-timeout", "2h", "demo", "true").failed(64, "10 ms to 1 hour");
    }
}
