package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqliteStoreProviderTest {

    @Test
    void isFoundOnTheClassPath() {
        assertThat(ServiceLoader.load(StoreProvider.class))
                .anyMatch(provider -> provider.schemes().contains("sqlite"));
    }

    @Test
    void takesAbsoluteAndRelativePathsAsTheyStand() {
        assertThat(create("sqlite:/var/lib/a%20b/../#.db")).hasToString("sqlite:/var/lib/a%20b/../#.db");
        assertThat(create("sqlite:locks.db"))
                .hasToString("sqlite:" + Path.of("locks.db").toAbsolutePath());
        assertThat(create("SQLITE:///var/locks.db")).hasToString("sqlite:/var/locks.db");
    }

    @ParameterizedTest
    @CsvSource({
        "sqlite:, has no path",
        "'sqlite:  ', has no path",
        "sqlite:/a?mode=ro, unknown option 'mode=ro'",
        "sqlite:/a?leasehold.synchronous=off, unknown option leasehold.synchronous",
        "sqlite:/a?leasehold.sessionLocks=true, SQLite has no locks that belong to a session",
        "sqlite://host/a, names a host",
        "sqlite:~/a, only a shell replaces",
        "sqlite::memory:, write memory:",
    })
    void refusesWhatItDoesNotUnderstand(String uri, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> create(uri)).withMessageContaining(reason);
    }

    @Test
    void anUnknownOptionThatIsAPasswordIsNotShown() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create("sqlite:/a?password=s3cr3t"))
                .withMessageContaining("'password=***'")
                .withMessageNotContaining("s3cr3t");
    }

    @Test
    void aPasswordBesideTheUriIsRefusedAndNotShown() {
        StoreUri uri = new StoreUri("sqlite", "sqlite:/a", Map.of("password", "s3cr3t"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SqliteStoreProvider().create(uri))
                .withMessageContaining("unknown option leasehold.password for the store sqlite:/a")
                .withMessageNotContaining("s3cr3t");
    }

    @Test
    void refusesACharacterThatNoPathMayHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create("sqlite:/a\0b"))
                .withMessageContaining("does not name a file");
    }

    private static StoreFactory create(String uri) {
        return new SqliteStoreProvider().create(StoreUri.parse(uri));
    }
}
