package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.redis.RedisStore;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** These tests show which store is used, of those that an application has. */
@Tag("slow")
class StoreSelectionTest {

    private static final FilteredClassLoader WITHOUT_REDIS = new FilteredClassLoader(RedisStore.class);

    @TempDir
    Path directory;

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class));
    private final ApplicationContextRunner sql = runner.withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    private final ApplicationContextRunner redis = runner.withConfiguration(
            AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class));

    private static void assertLocks(AssertableApplicationContext context, String store) {
        assertThat(context).hasNotFailed();
        assertThat(context.getBean(Leasehold.class).toString()).contains(store);
        try (Lease lease = context.getBean(Leasehold.class).lock("a").acquire()) {
            assertThat(lease.isValid()).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FailureAnalysis failure(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return Failure.analysis(context.getStartupFailure());
    }

    @Test
    void aSingleDataSourceNeedsNoProperty() {
        sql.withPropertyValues("spring.application.name=shop").run(context -> {
            assertLocks(context, "jdbc");
            Leasehold leasehold = context.getBean(Leasehold.class);
            try (Lease lease = leasehold.lock("b").acquire()) {
                assertThat(leasehold.info("b").orElseThrow().holder().client().label())
                        .isEqualTo("shop");
                assertThat(lease.isValid()).isTrue();
            }
        });
    }

    /** With the application's pool used up, a lock could be neither taken nor renewed. */
    @Test
    void locksHaveAPoolOfTheirOwn() {
        sql.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1").run(context -> {
            try (var connection = context.getBean(DataSource.class).getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
                assertLocks(context, "jdbc");
            }
        });
    }

    @Test
    void theUriComesFirst() {
        sql.withPropertyValues("leasehold.store.uri=memory:", "leasehold.store.type=jdbc")
                .run(context -> assertLocks(context, "memory:"));
    }

    @Test
    void theTypeComesSecond() {
        sql.withPropertyValues("leasehold.store.type=memory").run(context -> assertLocks(context, "memory:"));
    }

    @Test
    void aBeanOfTheApplicationComesBeforeAll() {
        sql.withBean(Leasehold.class, () -> Leasehold.connect("memory:mine"))
                .run(context -> assertLocks(context, "memory:"));
        sql.withBean(StoreFactory.class, () -> JdbcStore.using(h2("own")))
                .run(context -> assertThat(context).hasSingleBean(Leasehold.class));
    }

    @Test
    void nothingFails() {
        runner.run(context -> {
            FailureAnalysis analysis = failure(context);
            assertThat(analysis.getDescription()).contains("has no store");
            assertThat(analysis.getAction()).contains("leasehold.store.uri");
        });
    }

    @Test
    void twoKindsFailWithTheProperty() {
        sql.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .run(context -> {
                    FailureAnalysis analysis = failure(context);
                    assertThat(analysis.getDescription())
                            .contains("jdbc (dataSource)")
                            .contains("redis (redisConnectionDetails)");
                    assertThat(analysis.getAction()).contains("leasehold.store.type=jdbc or redis");
                });
    }

    @Test
    void twoKindsAndAType() {
        sql.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues("leasehold.store.type=jdbc")
                .run(context -> assertLocks(context, "jdbc"));
    }

    @Test
    void twoDataSourcesFailWithBothNames() {
        runner.withUserConfiguration(TwoDataSources.class).run(context -> {
            FailureAnalysis analysis = failure(context);
            assertThat(analysis.getDescription()).contains("orders").contains("stock");
            assertThat(analysis.getAction()).contains("@LeaseholdDataSource");
        });
    }

    @Test
    void aMarkedDataSourceIsUsed() {
        runner.withUserConfiguration(TwoDataSources.class, Marked.class).run(context -> {
            assertLocks(context, "jdbc");
            try (var connection = context.getBean("locks", DataSource.class).getConnection()) {
                assertThat(connection
                                .createStatement()
                                .executeQuery("SELECT * FROM \"leasehold_lock\"")
                                .next())
                        .isTrue();
            }
        });
    }

    @Test
    void thePrimaryDataSourceIsUsedAndTheLogNamesIt() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(new SimpleFormatter().formatMessage(entry));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.leasehold.spring");
        logger.addHandler(handler);
        try {
            runner.withUserConfiguration(TwoDataSources.class, Primarily.class).run(context -> {
                assertLocks(context, "jdbc");
                assertThat(context.getBean("main", JdbcDataSource.class)
                                .getConnection()
                                .createStatement()
                                .executeQuery("SELECT * FROM \"leasehold_lock\"")
                                .next())
                        .isTrue();
            });
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(logged).contains("the locks live in the database of the DataSource main");
    }

    @Test
    void aMissingModuleFailsWithItsArtifact() {
        runner.withClassLoader(WITHOUT_REDIS)
                .withPropertyValues("leasehold.store.uri=redis://localhost")
                .run(context -> assertThat(failure(context).getAction()).contains("dev.leasehold:leasehold-redis"));
        runner.withClassLoader(WITHOUT_REDIS)
                .withPropertyValues("leasehold.store.type=redis")
                .run(context -> assertThat(failure(context).getAction()).contains("dev.leasehold:leasehold-redis"));
        redis.withClassLoader(WITHOUT_REDIS)
                .run(context -> assertThat(failure(context).getDescription())
                        .contains("DataRedisConnectionDetails (add dev.leasehold:leasehold-redis)"));
    }

    @Test
    void aDataSourceIsUsedWhereTheRedisModuleIsMissing() {
        sql.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withClassLoader(WITHOUT_REDIS)
                .run(context -> assertLocks(context, "jdbc"));
    }

    @Test
    void aMissingTableFailsWithItsStatements() {
        sql.withPropertyValues("leasehold.store.jdbc.initialize-schema=false").run(context -> {
            FailureAnalysis analysis = failure(context);
            assertThat(analysis.getDescription()).contains("CREATE TABLE").contains("leasehold_lock");
            assertThat(analysis.getAction()).contains("initialize-schema=true").doesNotContain("Do what it says");
        });
        sql.withPropertyValues("leasehold.store.jdbc.initialize-schema=false", "leasehold.store.check=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** It spoke of missing tables. */
    @Test
    void anotherRefusalDoesNotSpeakOfTables() {
        runner.withBean(DataSource.class, () -> {
                    JdbcDataSource late = new JdbcDataSource();
                    late.setUrl("jdbc:h2:file:" + directory.resolve("late"));
                    return late;
                })
                .run(context -> {
                    FailureAnalysis analysis = failure(context);
                    assertThat(analysis.getDescription()).contains("WRITE_DELAY=0");
                    assertThat(analysis.getAction())
                            .startsWith("Add ;WRITE_DELAY=0")
                            .contains("where it is opened first. leasehold.store.check=false")
                            .doesNotContain("tables")
                            .doesNotContain("initialize-schema");
                });
    }

    @Test
    void aWrongUriFails() {
        runner.withPropertyValues("leasehold.store.uri=memory:?leasehold.nonesuch=1")
                .run(context -> assertThat(failure(context).getDescription()).contains("nonesuch"));
    }

    @Test
    @DisplayName("An unreachable store does not keep the application from starting")
    void theApplicationStartsWithoutItsStore() {
        runner.withPropertyValues("leasehold.store.uri=redis://localhost:1", "leasehold.store.timeout=200ms")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void oneRedisWithAPassword() {
        try (RedisProcess server = RedisProcess.start("--requirepass", "secret")) {
            redis.withPropertyValues("spring.data.redis.port=" + server.port(), "spring.data.redis.password=secret")
                    .run(context -> assertLocks(context, "redis"));
        }
    }

    @Test
    void aRedisCluster() {
        try (RedisGroup servers = RedisGroup.cluster()) {
            redis.withPropertyValues("spring.data.redis.cluster.nodes=" + servers.addresses())
                    .run(context -> assertLocks(context, "redis"));
        }
    }

    @Test
    void redisBehindSentinel() {
        try (RedisGroup servers = RedisGroup.sentinel()) {
            redis.withPropertyValues(
                            "spring.data.redis.sentinel.master=main",
                            "spring.data.redis.sentinel.nodes=localhost:"
                                    + servers.servers.get(2).port())
                    .run(context -> assertLocks(context, "redis"));
        }
    }

    @Test
    void aCuratorFramework() throws Exception {
        try (TestingServer server = new TestingServer()) {
            runner.withBean(CuratorFramework.class, () -> {
                        CuratorFramework curator =
                                CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
                        curator.start();
                        return curator;
                    })
                    .run(context -> assertLocks(context, "zookeeper"));
        }
    }

    private static CuratorFramework curator() {
        return CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(100));
    }

    @Test
    void severalConnectionsOfAKindFailWithTheirNames() {
        runner.withBean("here", CuratorFramework.class, StoreSelectionTest::curator)
                .withBean("there", CuratorFramework.class, StoreSelectionTest::curator)
                .run(context -> assertThat(failure(context).getDescription())
                        .contains("several CuratorFrameworks, none of them primary: here, there"));
        runner.withBean("here", DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {})
                .withBean("there", DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {})
                .run(context -> assertThat(failure(context).getDescription())
                        .contains("several Redis connections, none of them primary: here, there"));
    }

    @Test
    void aTypeWithoutAConnectionFailsWithTheUri() {
        runner.withPropertyValues("leasehold.store.type=zookeeper").run(context -> {
            FailureAnalysis analysis = failure(context);
            assertThat(analysis.getDescription()).contains("type is zookeeper, and the application has no Curator");
            assertThat(analysis.getAction()).contains("leasehold.store.uri=zookeeper://…");
        });
    }

    /** Spring Boot knows a master with replicas, too. */
    @Test
    void aRedisOfAnotherKindFailsWithTheUri() {
        runner.withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {})
                .run(context -> {
                    FailureAnalysis analysis = failure(context);
                    assertThat(analysis.getDescription()).contains("neither one server nor Sentinel nor Cluster");
                    assertThat(analysis.getAction()).contains("leasehold.store.uri=redis://HOST1,HOST2");
                });
    }

    private static JdbcDataSource h2(String name) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setUrl("jdbc:h2:mem:" + name + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {

        @Bean
        DataSource orders() {
            return h2("orders");
        }

        @Bean
        DataSource stock() {
            return h2("stock");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Primarily {

        @Bean
        @Primary
        DataSource main() {
            return h2("main");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @LeaseholdDataSource
        DataSource locks() {
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSource(h2("locks"));
            return pool;
        }
    }

    @Test
    void propertiesReachTheClient() {
        runner.withPropertyValues(
                        "leasehold.store.type=memory",
                        "leasehold.lease=5s",
                        "leasehold.max-hold=1h",
                        "leasehold.namespace=eu",
                        "leasehold.label=me")
                .run(context -> {
                    var options = context.getBean(Leasehold.class).lock("a").options();
                    assertThat(options.leaseDuration()).hasSeconds(5);
                    assertThat(options.maxHold()).hasHours(1);
                });
    }
}
