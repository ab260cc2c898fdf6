package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.jdbc.JdbcFence;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** This auto-configuration makes the fence in the application's own database, which is where the guarded data is. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({JdbcFence.class, DataSource.class})
@ConditionalOnSingleCandidate(DataSource.class)
@EnableConfigurationProperties(LeaseholdProperties.class)
public final class LeaseholdFenceAutoConfiguration {

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdFenceAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    JdbcFence leaseholdFence(DataSource dataSource, LeaseholdProperties properties) throws SQLException {
        JdbcFence fence = JdbcFence.standard();
        if (properties.fence().initializeSchema()) {
            fence.createTable(dataSource);
        }
        return fence;
    }
}
