package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** The password of a user is changed while its clients live. */
@Tag("slow")
class RotatedPasswordTest {

    private static final String BEFORE = "s3cret-before";
    private static final String AFTER = "s3cret-after";

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private Connection admin;

    @BeforeEach
    void makeUser() throws Exception {
        admin = DriverManager.getConnection(POSTGRES.get().url());
        try (Statement statement = admin.createStatement();
                ResultSet row = statement.executeQuery("SHOW hba_file")) {
            row.next();
            Path rules = Path.of(row.getString(1));
            Files.writeString(rules, "host all rotated 127.0.0.1/32 scram-sha-256\n" + Files.readString(rules));
        }
        run("CREATE ROLE rotated LOGIN SUPERUSER");
        setPassword(BEFORE);
        run("SELECT pg_reload_conf()");
        String url = url("wrong");
        await().until(() -> catchThrowable(() -> DriverManager.getConnection(url)) != null);
    }

    @AfterEach
    void dropUser() throws Exception {
        endConnections();
        run("DROP OWNED BY rotated");
        run("DROP ROLE rotated");
        admin.close();
    }

    private void run(String statement) throws SQLException {
        try (Statement running = admin.createStatement()) {
            running.execute(statement);
        }
    }

    private void setPassword(String password) throws SQLException {
        run("ALTER ROLE rotated PASSWORD '" + password + "'");
    }

    private void endConnections() throws SQLException {
        run("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'rotated'");
    }

    private static String url(String password) {
        return POSTGRES.get().url().replace("user=postgres", "user=rotated&password=" + password);
    }

    private static Leasehold client(LeaseholdBuilder builder) {
        return builder.options(LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5)))
                .storeTimeout(Duration.ofSeconds(A_MINUTE))
                .build();
    }

    /** The URL has the old one for the life of the client. */
    @Test
    void aClientOfAUrlGoesOnWhileItsConnectionsStand() throws Exception {
        try (Leasehold client = client(Leasehold.builder().uri(url(BEFORE)))) {
            Lease held = client.lock("x").acquire();
            setPassword(AFTER);
            held.extend(Duration.ofMinutes(6));
            client.lock("y").acquire().close();

            endConnections();
            Throwable refused = catchThrowable(() -> client.lock("y").acquire());
            assertThat(refused)
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("password authentication failed for user \"rotated\"");
            assertThat(all(refused)).doesNotContain("s3cret");
            assertThat(held.isValid()).isTrue();

            setPassword(BEFORE);
            held.extend(Duration.ofMinutes(6));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void aDataSourceThatIsToldTheNewOneIsAskedForIt() throws Exception {
        PGSimpleDataSource given = new PGSimpleDataSource();
        given.setUrl(POSTGRES.get().url().replaceFirst("\\?.*", ""));
        given.setUser("rotated");
        given.setPassword(BEFORE);
        try (Leasehold client = client(Leasehold.builder().store(JdbcStore.using(given)));
                Leasehold other = client(Leasehold.builder().uri(POSTGRES.get().url()))) {
            Lease held = client.lock("x").acquire();
            Lease theirs = other.lock("y").acquire();
            CompletableFuture<Lease> waiting = client.lock("y").acquireAsync();
            await().until(() -> other.locks("y").get(0).waiters().size() == 1);
            setPassword(AFTER);
            given.setPassword(AFTER);
            endConnections();
            held.extend(Duration.ofMinutes(6));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(theirs.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    private static String all(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
