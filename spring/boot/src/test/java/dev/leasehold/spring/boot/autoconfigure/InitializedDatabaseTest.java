package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A bean that locks while the application starts does so when the database has been initialized, and not before. */
@Tag("slow")
class InitializedDatabaseTest {

    @Configuration(proxyBeanMethods = false)
    static class Early {

        record Seen(boolean initialized) {}

        @Bean
        Seen aaa(Leasehold leasehold, DataSource database) throws Exception {
            leasehold.lock("early").acquire().close();
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet tables = statement.executeQuery(
                            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'MIGRATED'")) {
                tables.next();
                return new Seen(tables.getInt(1) == 1);
            }
        }
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(Early.class)
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceInitializationAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.sql.init.schema-locations=classpath:migrated.sql");

    @Test
    void aBeanThatLocksEarlyFindsTheDatabaseInitialized() {
        runner.run(context ->
                assertThat(context.getBean(Early.Seen.class).initialized()).isTrue());
    }

    /** Flyway refuses a schema that holds what it did not make, such as tables of locks. */
    @Test
    void flywayFindsAnEmptySchemaBeforeLocksAreMade() {
        runner.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.sql.init.mode=never", "spring.flyway.locations=classpath:flyway")
                .run(context -> assertThat(context.getBean(Early.Seen.class).initialized())
                        .isTrue());
    }

    /** Or a migration could not run under such a lock. */
    @Test
    void locksElsewhereWaitForNoDatabase() {
        runner.withPropertyValues("leasehold.store.type=memory")
                .run(context -> assertThat(context.getBeanFactory()
                                .getBeanDefinition("leaseholdStore")
                                .getDependsOn())
                        .isNullOrEmpty());
    }

    /** The application has a database, but Leasehold's module for databases is missing: its store is the Redis. */
    @Test
    void theOnlyUsableStoreWaitsForNoDatabase() {
        new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader(JdbcStore.class))
                .withConfiguration(AutoConfigurations.of(
                        LeaseholdAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceInitializationAutoConfiguration.class))
                .withPropertyValues(
                        "leasehold.store.check=false",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "spring.sql.init.schema-locations=classpath:migrated.sql")
                .run(context -> assertThat(context.getBeanFactory()
                                .getBeanDefinition("leaseholdStore")
                                .getDependsOn())
                        .isNullOrEmpty());
    }

    /** Its tables lie in the application's database, wherever the locks are. */
    @Test
    void theFenceWaitsForTheDatabaseAlways() {
        runner.withConfiguration(AutoConfigurations.of(LeaseholdFenceAutoConfiguration.class))
                .withPropertyValues("leasehold.store.type=memory")
                .run(context -> assertThat(context.getBeanFactory()
                                .getBeanDefinition("leaseholdFence")
                                .getDependsOn())
                        .isNotEmpty());
    }
}
