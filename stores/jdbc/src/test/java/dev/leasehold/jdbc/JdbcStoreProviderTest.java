package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcStoreProviderTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:/var/lib/a.db, for SQLite write sqlite:PATH",
        "jdbc:postgresql, is no JDBC URL",
        "jdbc:postgresql://h/d?leasehold.dialect=oracle, unknown dialect 'oracle'",
        "jdbc:postgresql://h/d?leasehold.schema=a%20b, letters",
        "jdbc:postgresql://h/d?leasehold.tables=1a, letters",
        "jdbc:postgresql://h/d?leasehold.initializeSchema=maybe, always or never",
        "jdbc:postgresql://h/d?leasehold.connections=0, must be 1 to 64",
        "jdbc:postgresql://h/d?leasehold.connections=x, whole number",
        "jdbc:postgresql://h/d?leasehold.sessionLocks=yes, true or false",
        "jdbc:postgresql://h/d?leasehold.spin=true, unknown option leasehold.spin",
        "jdbc:h2:mem:a?leasehold.sessionLocks=true, H2 has no locks that belong to a session",
        "jdbc:postgresql://h/d?leasehold.synchronous=off, unknown option leasehold.synchronous",
    })
    void refusesWhatItDoesNotUnderstand(String uri, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> create(uri)).withMessageContaining(reason);
    }

    @Test
    void showsNoPassword() {
        assertThat(create("jdbc:postgresql://h/d?user=u&password=secret&leasehold.connections=2"))
                .hasToString("jdbc:postgresql://h/d?user=u&password=***");
    }

    @Test
    void takesAPasswordApartFromTheUrlAndShowsItNowhere() throws Exception {
        String url = "jdbc:h2:mem:password;DB_CLOSE_DELAY=-1;USER=app?leasehold.password=";
        assertThat(create("jdbc:h2:mem:password?leasehold.password=s3cret")).hasToString("jdbc:h2:mem:password");
        try (Leasehold client = Leasehold.connect(url + "s3cret")) {
            client.lock("a").acquire().close();
        }
        try (Leasehold client = Leasehold.connect(url + "wr0ng&leasehold.storeTimeout=60000")) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("Wrong user name or password")
                    .hasMessageNotContaining("wr0ng");
        }
    }

    @Test
    void namesTheDriverThatIsMissing() {
        try (Leasehold client = Leasehold.connect("jdbc:nonesuch://h/d")) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("no JDBC driver takes jdbc:nonesuch: URLs");
        }
    }

    /** It was told that the driver was missing. */
    @Test
    void saysHowAPasswordIsPassed() {
        try (Leasehold client = Leasehold.connect("jdbc:postgresql://app:s3/cr@t@localhost/shop")) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("does not take this URL")
                    .hasMessageContaining("--store-password-file")
                    .hasMessageNotContaining("s3");
        }
    }

    private static StoreFactory create(String uri) {
        return new JdbcStoreProvider().create(StoreUri.parse(uri));
    }
}
