package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers that come and go, so that some have the lock at each moment, do not keep writers out. */
@Tag("slow")
class ReaderLoadTest {

    private static final long LONGEST_WAIT = 3000;

    @ParameterizedTest(name = "with a gate: {0}")
    @ValueSource(booleans = {true, false})
    void writersDoNotStarve(boolean gated) {
        ReaderLoad.Result seen = ReaderLoad.run(1, gated, Set.of());
        System.out.println((gated ? "with" : "without") + " a gate: " + seen);
        assertThat(seen.writes()).isGreaterThan(500);
        assertThat(seen.reads()).isGreaterThan(500);
        assertThat(seen.longestWait()).isLessThan(LONGEST_WAIT);
    }

    @Test
    void writersStarveWhereNobodyShutsReadersOut() {
        ReaderLoad.Result seen = ReaderLoad.run(1, false, Set.of(QuorumRule.REFUSED_WRITER_SHUTS_READERS_OUT));
        System.out.println("without a gate, and nobody shut out: " + seen);
        assertThat(seen.longestWait()).isGreaterThan(10 * LONGEST_WAIT);
    }

    /** With one of the two rules writers are served; that nodes shut readers out would hide what the gate does. */
    @Test
    void writersStarveWhereABusyGateLetsReadersPast() {
        ReaderLoad.Result gate = ReaderLoad.run(1, true, Set.of(QuorumRule.REFUSED_WRITER_SHUTS_READERS_OUT));
        ReaderLoad.Result none = ReaderLoad.run(
                1, true, Set.of(QuorumRule.REFUSED_WRITER_SHUTS_READERS_OUT, QuorumRule.BUSY_GATE_FAILS_READERS));
        System.out.println("with a gate, and nobody shut out: " + gate + ", readers past the gate: " + none);
        assertThat(gate.longestWait()).isLessThan(LONGEST_WAIT);
        assertThat(none.longestWait()).isGreaterThan(10 * LONGEST_WAIT);
    }
}
