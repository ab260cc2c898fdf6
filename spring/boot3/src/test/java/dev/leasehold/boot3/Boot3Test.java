package dev.leasehold.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The page's bean works on Spring Boot 3, with its HikariCP, and so does a pool of our own. */
class Boot3Test {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Locks.class)
    static class Shop {}

    @Test
    void thePagesBeanLocksAndIsClosed() throws Exception {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
        Leasehold leasehold;
        try (ConfigurableApplicationContext context =
                SpringApplication.run(Shop.class, "--spring.datasource.url=jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1")) {
            leasehold = context.getBean(Leasehold.class);
            try (Lease lease = leasehold.lock("a").acquire()) {
                assertThat(leasehold.info("a").orElseThrow().holder().token()).isEqualTo(lease.token());
            }
        }
        assertThatThrownBy(() -> leasehold.lock("a")).isInstanceOf(IllegalStateException.class);
        try (Leasehold own = Leasehold.connect("jdbc:h2:mem:own;DB_CLOSE_DELAY=-1")) {
            own.lock("b").run(lease -> assertThat(lease.isValid()).isTrue());
        }
    }

    @Test
    void thePageShowsThisBean() throws Exception {
        String source = Files.readString(Path.of("src/test/java/dev/leasehold/boot3/Locks.java"));
        assertThat(Files.readString(Path.of("../../docs/spring.md")))
                .contains(source.substring(source.indexOf("@Configuration")));
    }
}
