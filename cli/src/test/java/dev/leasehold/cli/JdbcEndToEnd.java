package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the commands with real databases, whose drivers come with the program. */
class JdbcEndToEnd {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir, () -> POSTGRES.get().url() + "&" + Program.PATIENT);

    @Test
    void locksAreRunListedShownBrokenAndExamined() throws Exception {
        CommonCommands.runListShowAndBreak(leasehold);

        Program.Answer doctor = leasehold.here("doctor");
        assertThat(doctor.status()).as(doctor.out() + doctor.err()).isZero();
        assertThat(doctor.out()).contains("ok       PostgreSQL 18.");
        assertThat(doctor.err()).isEmpty();
        assertThat(leasehold.here("doctor", "--json").succeeded().out())
                .contains("{\"severity\":\"fine\",\"code\":\"database-version\"");
    }

    @Test
    @DisplayName("The password comes from a file or the environment and is never shown")
    void thePasswordOfFileOrEnvironmentIsNeverShown() throws Exception {
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE app LOGIN PASSWORD 's3cret+/%'");
            statement.execute("GRANT CREATE ON SCHEMA public TO app");
            statement.execute("DO $$ BEGIN EXECUTE format('COPY (SELECT unnest(ARRAY["
                    + "''host all app all scram-sha-256'', ''host all all all trust''])) TO %L',"
                    + " current_setting('hba_file')); END $$");
            statement.execute("SELECT pg_reload_conf()");
        }
        String app = POSTGRES.get().url().replace("user=postgres", "user=app") + "&leasehold.tables=app_";
        Path file = Files.writeString(dir.resolve("password"), "s3cret+/%\n");

        leasehold
                .run("run", "--store", app, "--store-password-file", file.toString(), "demo", "true")
                .succeeded();
        leasehold
                .here(Map.of("LEASEHOLD_STORE", app, "LEASEHOLD_STORE_PASSWORD", "s3cret+/%"), "ls")
                .succeeded();
        leasehold.here("ls", "--store", app).failed(78, "no password was provided");

        Program.Answer wrong =
                leasehold.here(Map.of("LEASEHOLD_STORE", app, "LEASEHOLD_STORE_PASSWORD", "wr0ng"), "ls");
        assertThat(wrong.failed(78, "password authentication failed").err()).doesNotContain("wr0ng");
        Program.Answer listed = leasehold.here("ls", "--store", app + "&password=s3cret");
        assertThat(listed.failed(64, "--store-password-file").err()).doesNotContain("s3cret");
    }

    @Test
    void theOtherDriversAreOnBoardToo() throws Exception {
        try (MariaDbServer mariadb = MariaDbServer.start()) {
            for (String store : List.of(
                    mariadb.url(),
                    mariadb.mysqlUrl().replace("&password=", ""),
                    "jdbc:h2:file:" + dir.resolve("locks") + ";WRITE_DELAY=0")) {
                Program.Run run = leasehold.run("run", "--store", store, "demo", "true");
                assertThat(run.succeeded().err()).as(store).isEmpty();
            }
        }
    }

    @Test
    void otherStoresLoadNoneOfTheirDrivers() throws Exception {
        Path loaded = dir.resolve("loaded");
        Path target = Path.of(System.getProperty("build.root"), "cli", "target");
        try (Stream<Path> files = Files.list(target)) {
            Path jar = files.filter(
                            file -> file.getFileName().toString().matches("leasehold-cli-[\\d.]+(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow();
            Process run = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xlog:class+load:file=" + loaded,
                            "-jar",
                            jar.toString(),
                            "run",
                            "--store",
                            "sqlite:" + dir.resolve("locks.db"),
                            "demo",
                            "true")
                    .inheritIO()
                    .start();
            assertThat(run.waitFor()).isZero();
        }
        assertThat(Files.readString(loaded))
                .contains("org.sqlite.")
                .doesNotContain(" org.postgresql.", " org.mariadb.", " com.mysql.", " org.h2.", " com.zaxxer.");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsNotABusyLock() throws Exception {
        for (String kind : List.of("postgresql", "mariadb", "mysql")) {
            String soon = "jdbc:" + kind + "://127.0.0.1:1/locks?user=app&leasehold.storeTimeout=1000";
            leasehold.here("ls", "--store", soon).failed(69, "127.0.0.1:1");
            leasehold.here("doctor", "--store", soon).failed(69, "127.0.0.1:1");
        }
        String soon = "jdbc:postgresql://127.0.0.1:1/locks?user=app&leasehold.storeTimeout=1000";
        leasehold.run("run", "-n", "--store", soon, "demo", "touch", "ran").failed(69, "127.0.0.1:1");
        assertThat(dir.resolve("ran")).doesNotExist();
    }
}
