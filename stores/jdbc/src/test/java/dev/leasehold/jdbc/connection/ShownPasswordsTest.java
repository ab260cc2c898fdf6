package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drivers put parts of a URL into their messages, and with them its password. */
@Tag("slow")
class ShownPasswordsTest {

    private static final String NO_WAIT = "leasehold.storeTimeout=1000";

    /** Nothing has to answer: each of these URLs is one that its driver cannot use. */
    @ParameterizedTest
    @CsvSource({
        "jdbc:mariadb://app:s3cret@127.0.0.1:1/test, '***@127.0.0.1'",
        "jdbc:mariadb://app:s3cret:part@127.0.0.1:1/test, '***'",
        "jdbc:mariadb:odd://127.0.0.1:1/test?user=app&password=s3cret, 'password=***'",
        "jdbc:mysql://app:any@s3cret@127.0.0.1:1/test, '***@127.0.0.1'",
        "jdbc:mysql://app:s3cret/more@127.0.0.1:1/test, '***'",
        "jdbc:postgresql://app:s3cret@127.0.0.1:1/test, '***@127.0.0.1'",
        "jdbc:h2:relative/path;PASSWORD=s3cret;USER=app, 'Use an absolute path'"
    })
    void noMessageShowsThePassword(String url, String shown) {
        // A busy machine may not have come as far as the driver's refusal in a second.
        await().untilAsserted(
                        () -> assertThat(failure(url)).doesNotContain("s3cret").contains(shown));
    }

    /** Whose password is a word of the URL elsewhere, too, reads what the driver says. */
    @ParameterizedTest
    @CsvSource({"jdbc:postgresql://127.0.0.1:1/test?user=refused&password=refused, refused"})
    void aPasswordThatIsNoSecretHidesNothing(String url, String said) {
        await().untilAsserted(() -> assertThat(failure(url)).contains(said));
    }

    private static String failure(String url) {
        try (Leasehold client = Leasehold.connect(url + (url.contains("?") ? '&' : '?') + NO_WAIT)) {
            Throwable failed = catchThrowable(() -> client.lock("x").acquire());
            assertThat(failed).isInstanceOf(LockException.class);
            StringWriter all = new StringWriter();
            failed.printStackTrace(new PrintWriter(all));
            return all.toString();
        }
    }
}
