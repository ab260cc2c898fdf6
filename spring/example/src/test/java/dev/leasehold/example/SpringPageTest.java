package dev.leasehold.example;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java code in docs/spring.md compiles, and so does what README.md shows of Spring. */
@Tag("slow")
class SpringPageTest {

    @TempDir
    Path directory;

    @Test
    void theReadmesCodeCompiles() throws IOException {
        Pages.compile("README.md", """
                import dev.leasehold.*;
                import dev.leasehold.spring.Locked;
                import java.time.Duration;
                import java.util.*;
                import org.springframework.transaction.annotation.Transactional;
                interface Invoices { void send(long id); }
                static Invoices invoices;
                interface Page { void write(long token); }
                static List<Page> report;
                static Leasehold leasehold;
                """, directory);
    }

    @Test
    void itsCodeCompiles() throws IOException {
        Pages.compile("docs/spring.md", """
                import dev.leasehold.*;
                import dev.leasehold.jdbc.JdbcStore;
                import dev.leasehold.spring.*;
                import dev.leasehold.spring.boot.test.*;
                import org.junit.jupiter.api.Test;
                import java.time.Duration;
                import javax.sql.DataSource;
                import org.springframework.beans.factory.DisposableBean;
                import org.springframework.beans.factory.annotation.Autowired;
                import org.springframework.boot.test.context.SpringBootTest;
                import org.springframework.context.annotation.Bean;
                import org.springframework.context.annotation.Configuration;
                import org.springframework.scheduling.annotation.Scheduled;
                import org.springframework.stereotype.Service;
                import org.springframework.transaction.annotation.Transactional;
                import static org.assertj.core.api.Assertions.assertThatThrownBy;
                interface Invoices { void send(long id); }
                """, directory);
    }
}
