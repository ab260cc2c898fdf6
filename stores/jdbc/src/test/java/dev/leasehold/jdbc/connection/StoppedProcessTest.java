package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about a process that stops in the middle of a transaction on PostgreSQL, and what others then wait for.
 */
@Tag("slow")
class StoppedProcessTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();
    private volatile boolean armed;
    private final ServerSql texts = new ServerSql(new Tables(Product.POSTGRESQL.rules(), null, Tables.PREFIX));

    private static Connection connection() throws SQLException {
        return DriverManager.getConnection(POSTGRES.get().url());
    }

    private static boolean isOpen(int session) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1 FROM pg_stat_activity WHERE pid = " + session)) {
            return row.next();
        }
    }

    @Test
    @DisplayName("It keeps the locks of a batch of renewals no longer than the server's limit")
    void aBatchOfRenewalsKeepsItsRowsForASecondAtMost() throws Exception {
        try (Leasehold leasehold = Leasehold.connect(POSTGRES.get().url());
                Connection stopped = connection()) {
            try (Lease one = leasehold.lock(name + 1).acquire();
                    Lease two = leasehold.lock(name + 2).acquire()) {
                stopped.setAutoCommit(false);
                Sql sql = new Sql(stopped);
                int session = (int) sql.number("SELECT pg_backend_pid()");
                stopped.commit();
                List<String> rows = sql.all(
                        texts.lockRows(2), row -> row.getString(1), texts.values(List.of(name + 1, name + 2), ""));
                assertThat(rows).hasSize(2);
                await().until(() -> !isOpen(session));
                assertThat(one.isValid() && two.isValid()).isTrue();
            }
        }
    }

    @Test
    void itKeepsNoTransactionOpenThatOnlyReads() throws Exception {
        try (Connection stopped = connection()) {
            stopped.setAutoCommit(false);
            Sql sql = new Sql(stopped);
            int session = (int) sql.number("SELECT pg_backend_pid()");
            stopped.commit();
            sql.number(texts.time);
            await().until(() -> !isOpen(session));
        }
    }

    @Test
    void itKeepsNobodyFromMakingTheTables() throws Exception {
        try (Connection stopped = connection()) {
            stopped.setAutoCommit(false);
            Sql sql = new Sql(stopped);
            int session = (int) sql.number("SELECT pg_backend_pid()");
            stopped.commit();
            sql.run(texts.dialect().beforeCreating());
            await().until(() -> !isOpen(session));
        }
    }

    /** The rows of locks that were long unused are removed; the next to use one makes it again. */
    @Test
    void itKeepsNobodyFromALockWhoseRowItMakes() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        DataSource stopping = stoppingAtCommit(stopped, goOn);
        try (Leasehold one = Leasehold.builder()
                        .store(JdbcStore.using(stopping).withListen(false))
                        .build();
                Leasehold two = Leasehold.connect(POSTGRES.get().url())) {
            one.lock(name).acquire().close();
            armed = true;
            try (Connection admin = connection();
                    Statement statement = admin.createStatement()) {
                statement.execute("DELETE FROM leasehold_lock WHERE name = '" + name + "'");
            }
            CompletableFuture<Lease> asked = one.lock(name).acquireAsync();
            // Where the row is made by a single statement, there is no moment at which to stop.
            await().until(() -> stopped.getCount() == 0 || asked.isDone());
            asked.thenAccept(Lease::close);
            assertThat(two.lock(name).tryAcquire(Duration.ofSeconds(A_MINUTE))).isPresent();
            asked.cancel(false);
        } finally {
            goOn.countDown();
        }
    }

    private DataSource stoppingAtCommit(CountDownLatch stopped, CountDownLatch goOn) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Connection real = connection();
                    return Proxy.newProxyInstance(
                            Connection.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (connection, called, values) -> {
                                if (called.getName().equals("commit") && armed) {
                                    stopped.countDown();
                                    goOn.await();
                                }
                                try {
                                    return called.invoke(real, values);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
                });
    }
}
