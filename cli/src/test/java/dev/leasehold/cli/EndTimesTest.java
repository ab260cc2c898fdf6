package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndTimesTest {

    @ParameterizedTest
    @CsvSource({
        // lease ms, grace ms, TERM and KILL: hundredths before the deadline
        "30000, 5000, 500, 51",
        "30000, 1000, 100, 51",
        "30000, 20000, 500, 51",
        "30000, 0, 51, 51",
        "1000, 5000, 16, 9",
        "1000, 0, 9, 9",
        "3600000, 60000, 6000, 51",
    })
    void termComesOneGraceBeforeTheEndAndKillBeforeIt(long lease, long grace, long term, long kill) {
        EndTimes times =
                EndTimes.of(1_000, Duration.ofMillis(lease), Duration.ofMillis(grace), Duration.ofMillis(lease));
        long deadline = 1_000 + lease / 10;

        assertThat(times).isEqualTo(new EndTimes(deadline, deadline - term, deadline - kill));
    }

    @Test
    @DisplayName("The grace is a share of the validity and not of the lease that was asked for")
    void theGraceIsAShareOfTheValidity() {
        Duration lease = Duration.ofSeconds(30);
        Duration onZooKeeper = Duration.ofMillis(6_660);
        EndTimes times = EndTimes.of(0, onZooKeeper, Duration.ofSeconds(5), lease);
        assertThat(times).isEqualTo(new EndTimes(666, 666 - 111, 666 - 51));
    }

    @Test
    @DisplayName("The time before the next renewal does not shorten grace and margin")
    void theNextRenewalDoesNotShortenGraceAndMargin() {
        Duration lease = Duration.ofSeconds(30);
        Duration wanted = Duration.ofSeconds(5);
        EndTimes times = EndTimes.of(0, Duration.ofMillis(6_660), wanted, lease);
        assertThat(times.orLater(333, Duration.ofMillis(3_340), wanted, lease)).isSameAs(times);
        assertThat(times.orLater(660, Duration.ZERO, wanted, lease)).isSameAs(times);
        assertThat(times.orLater(333, Duration.ofMillis(6_660), wanted, lease))
                .isEqualTo(new EndTimes(999, 999 - 111, 999 - 51));
    }

    @Test
    void uptimeIsReadInHundredths() {
        assertThat(BootClock.parse("1664.19 2470.23\n")).isEqualTo(166_419);
        assertThat(BootClock.parse("0.05 0.00\n")).isEqualTo(5);
    }

    @Test
    void theClockGoesForward() {
        assertThat(BootClock.now()).isBetween(1L, BootClock.now());
    }

    @Test
    void theStoreIsFoundInTheEnvironment() {
        assertThat(StoreOption.defaultUri(java.util.Map.of("LEASEHOLD_STORE", "redis://x"), "/root"))
                .isEqualTo("redis://x");
        assertThat(StoreOption.defaultUri(java.util.Map.of("XDG_STATE_HOME", "/s t"), "/root"))
                .isEqualTo("sqlite:/s t/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(
                        java.util.Map.of("XDG_STATE_HOME", "relative", "LEASEHOLD_STORE", ""), "/root"))
                .isEqualTo("sqlite:/root/.local/state/leasehold/locks.db");
    }

    /** The store was sqlite:?/.local/state/leasehold/locks.db, and the complaint was about options. */
    @Test
    void aUserWithoutAHomeIsToldWhatToName() {
        for (String home : new String[] {"?", ""}) {
            assertThatThrownBy(() -> StoreOption.defaultUri(java.util.Map.of(), home))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("no home directory", "--store", "LEASEHOLD_STORE");
        }
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", ""), "/root"))
                .isEqualTo("sqlite:/root/.local/state/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", "/h"), "?"))
                .isEqualTo("sqlite:/h/.local/state/leasehold/locks.db");
    }

    @Test
    void everyHomeMakesAPath() {
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", "/"), "/root"))
                .isEqualTo("sqlite:/.local/state/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", "//h//"), "/root"))
                .isEqualTo("sqlite:/h/.local/state/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(java.util.Map.of("XDG_STATE_HOME", "/", "HOME", "/h"), "/root"))
                .isEqualTo("sqlite:/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", "/a b"), "/root"))
                .isEqualTo("sqlite:/a b/.local/state/leasehold/locks.db");
        assertThat(StoreOption.defaultUri(java.util.Map.of("HOME", "relative"), "/root"))
                .isEqualTo("sqlite:/root/.local/state/leasehold/locks.db");
    }
}
