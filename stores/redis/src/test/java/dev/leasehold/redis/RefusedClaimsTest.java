package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.servers.Ports;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim that Redis cannot serve fails, with a reason that says what to do, and changes nothing there. */
@Tag("slow")
class RefusedClaimsTest extends FaultsFixture {

    @Test
    void aServerThatIsNotThereIsNamedAndNothingWasAcquired() {
        int port = Ports.next();
        Leasehold client = Leasehold.builder()
                .uri("redis://user:secret@localhost:" + port)
                .storeTimeout(Duration.ofSeconds(2))
                .build();
        clients.add(client);
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT);
                    assertThat(e).hasMessageContaining("localhost:" + port);
                    assertThat(e).hasStackTraceContaining("refused");
                })
                .satisfies(RefusedClaimsTest::showsNoSecret);
    }

    private static void showsNoSecret(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        assertThat(text.toString()).doesNotContain("secret");
    }

    @Test
    void aKeyOfAnotherTypeIsLeftAlone() throws Exception {
        redis.get().commands().rpush("leasehold:{x}", "precious");
        assertThatThrownBy(() -> direct().lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("another program");
        assertThat(redis.get().commands().lrange("leasehold:{x}", 0, -1)).containsExactly("precious");
    }

    /** The second is of a layout that this one knows, and yet cannot be read. */
    @ParameterizedTest
    @ValueSource(strings = {"leasehold|3|whatever", "leasehold|2|whatever"})
    void aNewerLayoutIsRefusedWithAClearMessage(String value) {
        redis.get().commands().set("leasehold:{x}", value);
        assertThatThrownBy(() -> direct().lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("newer version");
        assertThat(redis.get().commands().keys("*")).containsExactly("leasehold:{x}");
        assertThat(redis.get().commands().get("leasehold:{x}")).isEqualTo(value);
    }

    @Test
    void aWrongPasswordIsSaidAtOnceAndNotShown() throws Exception {
        redis.get().commands().configSet("requirepass", "right");
        Leasehold client =
                client("redis://:wrongsecret@localhost:" + redis.get().port(), Duration.ofSeconds(30));
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("password")
                .satisfies(RefusedClaimsTest::showsNoSecret);
        assertThat(client.toString()).doesNotContain("secret");
        assertThat(client("redis://:right@localhost:" + redis.get().port(), Duration.ofSeconds(30))
                        .lock("x")
                        .tryAcquire())
                .isPresent();
    }
}
