package dev.leasehold.boot3;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class Locks {

    @Bean(destroyMethod = "")
    Leasehold leasehold(DataSource dataSource) {
        return Leasehold.builder()
                .store(JdbcStore.using(dataSource))
                .label("shop")
                .build();
    }

    @Bean
    DisposableBean leaseholdEnd(Leasehold leasehold) {
        return () -> leasehold.close(Duration.ofSeconds(20));
    }
}
