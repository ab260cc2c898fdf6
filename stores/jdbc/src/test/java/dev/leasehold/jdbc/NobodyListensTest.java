package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * These tests show that a caller learns at once that a database refuses connections, and does not wait for the store
 * timeout of an hour.
 */
@Tag("slow")
class NobodyListensTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:1/locks?user=app",
                "jdbc:mariadb://127.0.0.1:1/locks?user=app",
                "jdbc:mysql://127.0.0.1:1/locks?user=app"
            })
    void whoTriesWhereConnectionsAreRefusedIsToldSoAtOnce(String url) {
        try (Leasehold leasehold =
                Leasehold.builder().uri(url, Map.of("storeTimeout", "3600000")).build()) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> leasehold.lock("a").tryAcquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasRootCauseInstanceOf(ConnectException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:1/locks?user=app",
                "jdbc:mariadb://127.0.0.1:1/locks?user=app",
                "jdbc:mysql://127.0.0.1:1/locks?user=app"
            })
    void whereEachConnectionWasRefusedNothingIsInDoubt(String url) {
        try (Leasehold leasehold = Leasehold.builder().uri(url).build()) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> leasehold.lock("a").tryAcquire(Duration.ofMillis(300)))
                        .isInstanceOfSatisfying(
                                StoreUnavailableException.class,
                                failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT));
            }
        }
    }
}
