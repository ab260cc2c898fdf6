package dev.leasehold.redis;

import dev.leasehold.architecture.GoldenFile;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The quorum does the same under the same seed, to the last step: a change of its structure alone changes nothing here. */
@Tag("slow")
class QuorumTracesTest {

    @Test
    void theQuorumDoesTheSameUnderTheSameSeeds() throws IOException {
        StringBuilder all = new StringBuilder();
        for (long seed = 1; seed <= 40; seed++) {
            AtomicLong hash = new AtomicLong();
            QuorumSimulation.run(
                    seed,
                    QuorumScenario.Kind.ANY,
                    Set.of(),
                    line -> hash.updateAndGet(known -> known * 31 + line.hashCode()));
            all.append(seed).append(' ').append(Long.toHexString(hash.get())).append('\n');
        }
        new GoldenFile("quorum-traces.txt").check(all.toString());
    }
}
