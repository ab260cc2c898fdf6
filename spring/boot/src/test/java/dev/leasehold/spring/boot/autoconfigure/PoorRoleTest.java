package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** These tests are about a user of the database who may not do what locks need. */
@Tag("slow")
class PoorRoleTest {

    @Test
    void theActionHasTheGrants() throws Exception {
        try (PostgresServer postgres = PostgresServer.start()) {
            try (Leasehold owner = Leasehold.connect(postgres.url());
                    Connection connection = DriverManager.getConnection(postgres.url());
                    Statement statement = connection.createStatement()) {
                owner.lock("used").acquire().close();
                statement.execute("CREATE ROLE poor LOGIN");
                statement.execute("GRANT SELECT ON leasehold_layout, leasehold_lock TO poor");
            }
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(LeaseholdAutoConfiguration.class, DataSourceAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.datasource.url=" + postgres.url().replace("?user=postgres", ""),
                            "spring.datasource.username=poor",
                            "leasehold.store.timeout=60s")
                    .run(context -> {
                        assertThat(context).hasFailed();
                        FailureAnalysis analysis = Failure.analysis(context.getStartupFailure());
                        assertThat(analysis.getDescription()).contains("permission denied");
                        assertThat(analysis.getAction())
                                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON")
                                .contains(" TO \"poor\";")
                                .endsWith("\n\nleasehold.store.check=false leaves the finding to the first lock.")
                                .doesNotContain("Do what it says");
                    });
        }
    }
}
