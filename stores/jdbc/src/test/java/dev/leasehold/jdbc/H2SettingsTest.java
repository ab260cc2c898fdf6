package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 only where it does not lose what it has answered. */
class H2SettingsTest {

    @TempDir
    Path directory;

    @Test
    void aFileThatIsWrittenLateIsRefused() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:file:" + directory.resolve("locks"))) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("WRITE_DELAY")
                    .hasMessageContaining(";WRITE_DELAY=0");
        }
    }

    @Test
    void aFileThatIsWrittenAtOnceIsTaken() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:file:" + directory.resolve("locks") + ";WRITE_DELAY=0")) {
            try (Lease lease = client.lock("a").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void memoryThatGoesWithItsLastConnectionIsRefused() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2settings1")) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("DB_CLOSE_DELAY=-1");
        }
    }

    @Test
    void namesInLowerCaseAreNoMatter() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2lower;DB_CLOSE_DELAY=-1;DATABASE_TO_LOWER=TRUE")) {
            client.lock("a").acquire().close();
        }
    }

    @Test
    void aDatabaseThatIgnoresCaseIsRefused() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2case;DB_CLOSE_DELAY=-1;IGNORECASE=TRUE")) {
            assertThatThrownBy(() -> client.lock("Order").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("has IGNORECASE set");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MSSQLServer", "Oracle", "Derby"})
    void aModeWithoutLimitIsRefusedAtOnce(String mode) throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2" + mode + ";DB_CLOSE_DELAY=-1;MODE=" + mode)) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("is in a MODE that knows no LIMIT"); // The URL has MODE in it, too.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "MySQL", "MariaDB", "DB2", "HSQLDB", "LEGACY"})
    void aModeWithLimitIsTaken(String mode) throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2" + mode + ";DB_CLOSE_DELAY=-1;MODE=" + mode)) {
            client.lock("a").acquire().close();
            try (Lease held = client.lock("a").acquire()) {
                assertThat(client.lock("a").tryAcquire(Duration.ofMillis(50))).isEmpty();
            }
            client.semaphore("s", 2).acquire().close();
        }
    }

    @Test
    void memoryOfThisJvmThatStaysIsTaken() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2settings2;DB_CLOSE_DELAY=-1")) {
            try (Lease lease = client.lock("a").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }
}
