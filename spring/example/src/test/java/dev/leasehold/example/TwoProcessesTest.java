package dev.leasehold.example;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Ports;
import dev.leasehold.servers.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about two processes of the application on one PostgreSQL, of which one is killed and one is shut down. */
@Tag("slow")
@Timeout(value = 25, unit = TimeUnit.MINUTES)
class TwoProcessesTest {

    @TempDir
    static Path logs;

    private static PostgresServer server;
    private static Connection database;
    private static final List<Process> STARTED = new CopyOnWriteArrayList<>();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Somebody else works on the account: to be tried again. */
    private static final int CONFLICT = 409;

    private record Instance(String name, int port, Process process) {

        static Instance start(String name) throws IOException {
            int port = Ports.next();
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "dev.leasehold.example.Application",
                            "--instance=" + name,
                            "--leasehold.lease=15s",
                            "--server.port=" + port,
                            "--spring.datasource.url=" + server.url())
                    .redirectErrorStream(true)
                    .redirectOutput(logs.resolve(name + ".log").toFile())
                    .start();
            STARTED.add(process);
            return new Instance(name, port, process);
        }

        HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
            return HTTP.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }

        String get(String path) throws IOException, InterruptedException {
            return send("GET", path).body();
        }

        void awaitUp() throws IOException {
            try {
                await().atMost(Duration.ofMinutes(10))
                        .ignoreExceptions()
                        .until(() -> get("/actuator/health/readiness").contains("\"status\":\"UP\""));
            } catch (ConditionTimeoutException e) {
                throw new AssertionError(Files.readString(logs.resolve(name + ".log")), e);
            }
        }
    }

    @BeforeAll
    static void start() throws SQLException {
        server = PostgresServer.start();
        database = DriverManager.getConnection(server.url());
    }

    @AfterAll
    static void stop() throws SQLException {
        STARTED.forEach(Process::destroyForcibly);
        database.close();
        server.close();
    }

    private static long count(String query) {
        try (ResultSet rows = database.createStatement().executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(String query) {
        try (ResultSet rows = database.createStatement().executeQuery(query)) {
            return rows.next() ? rows.getString(1) : "";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void oneRunsEachTickAndTheOtherTakesOver() throws Exception {
        Instance a = Instance.start("a");
        a.awaitUp();
        await().until(() -> count("SELECT count(*) FROM led") > 0);
        Instance b = Instance.start("b");
        b.awaitUp();
        moneyIsNeitherLostNorMade(a, b);
        metricsAndEndpointShowIt(a);

        assertThat(text("SELECT instance FROM led ORDER BY term DESC LIMIT 1")).isEqualTo("a");
        await().until(() -> count("SELECT count(*) FROM tick") > 2);
        long ticks = count("SELECT count(*) FROM tick");
        a.process().destroyForcibly().waitFor();
        long ends = count("SELECT ends FROM \"leasehold_lock\" WHERE name = 'bank-leader'");
        await().until(() ->
                text("SELECT instance FROM led ORDER BY term DESC LIMIT 1").equals("b"));
        assertThat(count("SELECT max(term) FROM led"))
                .as("the time of the new term")
                .isGreaterThanOrEqualTo(ends);
        await().until(() -> count("SELECT count(*) FROM tick") > ticks + 1);
        assertThat(count("SELECT min(gap) FROM (SELECT token - lag(token) OVER (ORDER BY token) AS gap FROM tick) g"))
                .as("microseconds from run to run")
                .isGreaterThan(1_000_000);
        await().until(() -> count("SELECT count(*) FROM job WHERE instance = 'b' AND ended") > 0);

        aShutdownInMidJobLosesNothing(b);
    }

    private static void moneyIsNeitherLostNorMade(Instance a, Instance b) {
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Instance to = i % 2 == 0 ? a : b;
            calls.add(CompletableFuture.supplyAsync(() -> {
                try {
                    int status;
                    do {
                        status = to.send("POST", "/transfers/1/2/10").statusCode();
                    } while (status == CONFLICT);
                    return status;
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo(200));
        assertThat(count("SELECT balance FROM account WHERE id = 1")).isEqualTo(600);
        assertThat(count("SELECT balance FROM account WHERE id = 2")).isEqualTo(400);
    }

    private static void metricsAndEndpointShowIt(Instance a) throws Exception {
        String metrics = a.get("/actuator/prometheus");
        assertThat(metrics)
                .contains("leasehold_lost_total{template=\"none\"} 0.0")
                .contains("leasehold_held ")
                .contains("outcome=\"acquired\"")
                .contains("template=\"account:#{#from}\"")
                .contains("leasehold_hold_seconds_count");
        assertThat(metrics).doesNotContain("account:1");
        assertThat(a.get("/actuator/leasehold")).contains("bank-leader").contains("\"label\":\"bank\"");
        assertThat(a.get("/actuator/leasehold/bank-leader")).contains("token");
        assertThat(a.send("GET", "/actuator/leasehold/nonesuch").statusCode()).isEqualTo(404);
        assertThat(a.send("DELETE", "/actuator/leasehold/bank-leader?token=1").statusCode())
                .as("read-only")
                .isEqualTo(405);
        assertThat(a.get("/actuator/info")).contains("\"bank-leader\":\"leader\"");
        assertThat(a.get("/actuator/health")).contains("lastContact");
        assertThat(a.get("/actuator/health/liveness")).doesNotContain("leasehold");
    }

    private static void aShutdownInMidJobLosesNothing(Instance b) throws Exception {
        await().until(() -> count("SELECT count(*) FROM job WHERE instance = 'b' AND NOT ended") == 1);
        b.process().destroy(); // SIGTERM
        assertThat(b.process().waitFor(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(count("SELECT count(*) FROM job WHERE instance = 'b' AND NOT ended"))
                .as("jobs that were cut off")
                .isZero();
        assertThat(count("SELECT count(*) FROM \"leasehold_lock\" WHERE client IS NOT NULL"))
                .as("locks that are left")
                .isZero();
    }
}
