package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedProcess;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about how long a claim waits for a node, and until it tries again. */
@Tag("slow")
class QuorumTimeoutsTest {

    private static final Duration NODE_TIMEOUT = Duration.ofMillis(50);

    private final Quorum quorum = new Quorum(
            "quorum",
            List.of(),
            claim -> claim,
            new SimulatedProcess(new SimWorld(1, null), "client", 1, 0),
            new SplittableRandom(1),
            new QuorumSettings(Duration.ofMinutes(1), NODE_TIMEOUT, Duration.ofSeconds(1), true));

    /** Otherwise a short lease is over before the others' answers are counted. */
    @Test
    void aNodeHasItsTimeAndNoMoreThanATenthOfTheLease() {
        assertThat(quorum.nodeTimeout(Duration.ofSeconds(10))).isEqualTo(NODE_TIMEOUT);
        assertThat(quorum.nodeTimeout(Duration.ofMillis(500))).isEqualTo(NODE_TIMEOUT);
        assertThat(quorum.nodeTimeout(Duration.ofMillis(200))).isEqualTo(Duration.ofMillis(20));
    }

    /** Otherwise claims that have split the nodes come back together, and split them again. */
    @Test
    void claimsThatTryAgainKeepNoBeat() {
        ClaimRetries retries = new ClaimRetries(quorum);
        List<Duration> delays =
                Stream.generate(() -> retries.delay(NODE_TIMEOUT)).limit(50).toList();
        assertThat(delays)
                .doesNotHaveDuplicates()
                .allMatch(delay -> delay.compareTo(NODE_TIMEOUT.dividedBy(5)) >= 0)
                .allMatch(delay -> delay.compareTo(NODE_TIMEOUT.multipliedBy(2)) <= 0)
                .anyMatch(delay -> delay.compareTo(NODE_TIMEOUT) < 0)
                .anyMatch(delay -> delay.compareTo(NODE_TIMEOUT) > 0);
    }
}
