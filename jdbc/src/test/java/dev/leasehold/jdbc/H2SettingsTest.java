package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void memoryOfThisJvmThatStaysIsTaken() throws Exception {
        try (Leasehold client = Leasehold.connect("jdbc:h2:mem:h2settings2;DB_CLOSE_DELAY=-1")) {
            try (Lease lease = client.lock("a").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }
}
