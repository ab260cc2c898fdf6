package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import dev.leasehold.architecture.Pages;
import dev.leasehold.servers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests are about the examples for the fence in docs/sql.md, on a real PostgreSQL, one of them in Spring's
 * transactions.
 */
@Tag("slow")
class FencePageTest {

    private static final String PLAIN = """
            import dev.leasehold.*;
            import dev.leasehold.jdbc.*;
            import java.sql.*;
            import javax.sql.DataSource;
            public class Plain {
                public static void run(DataSource dataSource, Leasehold leasehold) throws Exception {
                    JdbcFence.standard().createTable(dataSource);
                    DistributedLock lock = leasehold.lock("account:42");
                    %s
                }
                static long read(Connection connection) throws SQLException {
                    try (Statement statement = connection.createStatement();
                            ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 42")) {
                        row.next();
                        return row.getLong(1);
                    }
                }
                static void write(Connection connection, long balance) throws SQLException {
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate("UPDATE account SET balance = " + balance + " WHERE id = 42");
                    }
                }
            }
            """;

    private static final String SPRING = """
            import dev.leasehold.*;
            import dev.leasehold.jdbc.*;
            import javax.sql.DataSource;
            import org.springframework.context.annotation.*;
            import org.springframework.jdbc.core.*;
            import org.springframework.jdbc.support.JdbcTransactionManager;
            import org.springframework.transaction.PlatformTransactionManager;
            import org.springframework.transaction.annotation.*;

            public class Spring {
                static DataSource dataSource;
                static Leasehold leasehold;

                @Configuration
                @EnableTransactionManagement(proxyTargetClass = true)
                public static class Config {
                    @Bean public PlatformTransactionManager transactions() { return new JdbcTransactionManager(dataSource); }
                    @Bean public JdbcTemplate jdbc() { return new JdbcTemplate(dataSource); }
                    @Bean public Ledger ledger(JdbcTemplate jdbc) { return new Ledger(jdbc); }
                    @Bean public Accounts accounts(Ledger ledger) { return new Accounts(leasehold, ledger); }
                }
                public static void run(DataSource given, Leasehold client) throws Exception {
                    dataSource = given;
                    leasehold = client;
                    try (var context = new AnnotationConfigApplicationContext()) {
                        context.setClassLoader(Spring.class.getClassLoader());
                        context.register(Config.class);
                        context.refresh();
                        context.getBean(Accounts.class).withdraw(42, 100);
                        context.getBean(Ledger.class).withdraw(42, 100, 1);
                    }
                }
            }
            """;

    @TempDir
    Path directory;

    @Test
    void theExamplesCompileAndRun() throws Exception {
        List<String> blocks = Pages.javaIn("docs/sql.md").stream()
                .filter(block -> block.contains("JdbcFence"))
                .toList();
        assertThat(blocks).hasSize(2);
        Pages.compileClass("Plain", PLAIN.formatted(blocks.get(0)), directory);
        Pages.compileClass("Spring", SPRING + blocks.get(1), directory);
        try (PostgresServer postgres = PostgresServer.start();
                Connection connection = DriverManager.getConnection(postgres.url());
                Statement statement = connection.createStatement();
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            statement.execute("CREATE TABLE account (id bigint PRIMARY KEY, balance bigint)");
            statement.execute("INSERT INTO account VALUES (42, 1000)");
            run(loader, "Plain", postgres);
            assertThat(balance(statement)).isEqualTo(900);
            assertThatThrownBy(() -> run(loader, "Spring", postgres))
                    .isInstanceOf(InvocationTargetException.class)
                    .as("the last call comes with an old token")
                    .hasCauseInstanceOf(StaleTokenException.class);
            assertThat(balance(statement)).isEqualTo(800);
        }
    }

    private static void run(ClassLoader loader, String name, PostgresServer postgres) throws Exception {
        Class<?> example = loader.loadClass(name);
        try (dev.leasehold.Leasehold leasehold = dev.leasehold.Leasehold.connect(postgres.url())) {
            example.getMethod("run", javax.sql.DataSource.class, dev.leasehold.Leasehold.class)
                    .invoke(null, new DataSourceOf(postgres.url()), leasehold);
        }
    }

    private static long balance(Statement statement) throws Exception {
        try (ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 42")) {
            row.next();
            return row.getLong(1);
        }
    }
}
