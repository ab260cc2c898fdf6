package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Beans with the details of a connection, in place of properties: what {@code @ServiceConnection} makes of a container, and what a
 * platform may provide.
 */
class ConnectionDetailsTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class));

    private record Server(int port) implements DataRedisConnectionDetails {

        @Override
        public String getPassword() {
            return "secret";
        }

        @Override
        public Standalone getStandalone() {
            return Standalone.of("localhost", port, 3);
        }
    }

    private record Database(String name) implements JdbcConnectionDetails {

        @Override
        public String getUsername() {
            return "sa";
        }

        @Override
        public @Nullable String getPassword() {
            return "secret";
        }

        @Override
        public String getJdbcUrl() {
            return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
        }
    }

    @Test
    void theDetailsOfARedisAreUsedAndNotTheProperties() {
        try (RedisProcess server = RedisProcess.start("--requirepass", "secret")) {
            runner.withConfiguration(
                            AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
                    .withPropertyValues("spring.data.redis.port=1", "spring.data.redis.password=wrong")
                    .withBean(DataRedisConnectionDetails.class, () -> new Server(server.port()))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        Leasehold leasehold = context.getBean(Leasehold.class);
                        assertThat(leasehold.toString()).contains("redis://localhost:" + server.port() + "/3");
                        try (Lease lease = leasehold.lock("a").acquire()) {
                            assertThat(lease.isValid()).isTrue();
                        }
                    });
        }
    }

    /** A Sentinel that asks for a password of its own, and a master that asks for none. */
    private record Watched(int port) implements DataRedisConnectionDetails {

        @Override
        public Sentinel getSentinel() {
            return new Sentinel() {
                @Override
                public int getDatabase() {
                    return 3;
                }

                @Override
                public String getMaster() {
                    return "main";
                }

                @Override
                public List<Node> getNodes() {
                    return List.of(new Node("localhost", port));
                }

                @Override
                public @Nullable String getUsername() {
                    return null;
                }

                @Override
                public String getPassword() {
                    return "watch";
                }
            };
        }
    }

    private static void tell(RedisProcess server, String command) throws IOException {
        try (Socket socket = new Socket("localhost", server.port())) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().read()).isEqualTo('+');
        }
    }

    @Test
    void theSentinelsPasswordAndTheDatabaseAreUsed() throws Exception {
        try (RedisGroup servers = RedisGroup.sentinel()) {
            RedisProcess sentinel = servers.servers.get(2);
            tell(sentinel, "ACL SETUSER default resetpass >watch");
            runner.withConfiguration(
                            AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
                    .withBean(DataRedisConnectionDetails.class, () -> new Watched(sentinel.port()))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        try (Lease lease =
                                context.getBean(Leasehold.class).lock("a").acquire()) {
                            var master = servers.servers.get(0).commands();
                            master.select(3);
                            assertThat(lease.isValid()).isTrue();
                            assertThat(master.exists("leasehold:{a}")).isEqualTo(1);
                        }
                    });
        }
    }

    @Test
    void theDetailsOfADatabaseAreUsedAndNotTheProperties() {
        String name = UUID.randomUUID().toString();
        runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:nonesuch:")
                .withBean(JdbcConnectionDetails.class, () -> new Database(name))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    HikariDataSource application = (HikariDataSource) context.getBean(DataSource.class);
                    assertThat(application.getJdbcUrl()).contains(name);
                    try (Lease lease =
                                    context.getBean(Leasehold.class).lock("a").acquire();
                            var connection = application.getConnection();
                            var statement = connection.createStatement();
                            var rows = statement.executeQuery("SELECT token FROM \"leasehold_lock\"")) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getLong(1)).isEqualTo(lease.token());
                    }
                });
    }
}
