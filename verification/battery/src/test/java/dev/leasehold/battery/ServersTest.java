package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.PgBouncer;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about servers that this machine may not have, and about what a server says that it is. */
@Tag("slow")
class ServersTest {

    @TempDir
    private Path directory;

    @Test
    void withoutAPoolerItsRunsAreLeftOut() throws Exception {
        assertThatThrownBy(() -> PoolerUnderTest.program(null))
                .isInstanceOf(Missing.class)
                .hasMessageContaining(PgBouncer.VARIABLE);
        Path noProgram = Files.createFile(directory.resolve("pgbouncer"));
        assertThatThrownBy(() -> PoolerUnderTest.program(noProgram))
                .isInstanceOf(Missing.class)
                .hasMessageContaining(noProgram + " cannot be executed");
        assertThat(noProgram.toFile().setExecutable(true)).isTrue();
        assertThat(PoolerUnderTest.program(noProgram)).isEqualTo(noProgram);
    }

    @Test
    void whatIsLeftOutIsSaidAndNoFailure() {
        assumeThat(PgBouncer.program()).isEmpty();
        for (List<String> arguments : List.of(
                List.of("--store", "pgbouncer", "--fault", "restart"),
                List.of("--store", "pgbouncer", "--lock-set"),
                List.of("soak", "--store", "pgbouncer"))) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            List<String> all = new ArrayList<>(arguments);
            all.addAll(List.of("--out", directory.toString()));
            int status = BatteryCommand.commandLine(new PrintStream(said, true, StandardCharsets.UTF_8))
                    .execute(all.toArray(String[]::new));
            assertThat(said.toString(StandardCharsets.UTF_8)).contains("left out", PgBouncer.VARIABLE);
            assertThat(status).isZero();
        }
    }

    @Test
    void aValkeyIsNotCalledRedis() {
        String valkey = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n";
        assertThat(RedisUnderTest.versionIn(valkey)).isEqualTo("valkey 8.1.1");
        assertThat(RedisUnderTest.versionIn("# Server\r\nredis_version:7.0.15\r\nredis_git_sha1:0\r\n"))
                .isEqualTo("7.0.15");
        assertThat(RedisUnderTest.versionIn("")).isEqualTo("?");
    }

    @Test
    void aDatabaseThatForgetsHasItsTablesAndNoRows() throws Exception {
        try (DatabaseUnderTest database = DatabaseUnderTest.postgres(directory, Fault.AMNESIA, "");
                Leasehold client = Leasehold.connect(database.way().uri())) {
            long before = client.lock("a").acquire().token();
            database.kill(0);
            database.restart(0, false);
            assertThat(Pool.rows(database.uri(), "SELECT 'leasehold_layout' UNION ALL SELECT 'leasehold_lock'"))
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("rows of leasehold_layout", 1L, "rows of leasehold_lock", 0L));
            try (Leasehold another = Leasehold.connect(database.uri())) {
                assertThat(another.lock("a").tryAcquire())
                        .get()
                        .satisfies(lease -> assertThat(lease.token()).isGreaterThan(before));
            }
        }
    }

    @Test
    @Timeout(45) // A server that lives is given 60 s.
    void aServerThatEndsAtOnceIsNotWaitedFor() {
        assertThatThrownBy(() -> RedisProcess.start("--no-such-option", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended");
    }

    @Test
    void aClusterThatDoesNotComeToBeLeavesNoServer() {
        String title = "half-a-cluster"; // By which its servers are told from those of other tests.
        assertThatThrownBy(() -> RedisGroup.cluster(
                        "--rename-command", "CLUSTER", "", "--proc-title-template", title + " {port}"))
                .hasMessageContaining("unknown command");
        assertThat(ProcessHandle.current().children())
                .noneMatch(child -> title(child).startsWith(title));
    }

    /** Returns what a process calls itself, which {@code ProcessHandle} does not know; empty once it has ended. */
    private static String title(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void onlyAClusterIsResharded() {
        assertThat(Arrays.stream(StoreKind.values())
                        .filter(kind -> kind.faults().contains(Fault.RESHARDING)))
                .containsExactly(StoreKind.CLUSTER);
    }
}
