package dev.leasehold.simulator;

import dev.leasehold.architecture.GoldenFile;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests show what the engine does under a seed, to the last step: a change of its structure alone changes nothing
 * here.
 */
@Tag("slow")
class TracesTest {

    @Test
    void theEngineDoesTheSameUnderTheSameSeeds() throws IOException {
        String hashes = LongStream.rangeClosed(1, 100)
                .mapToObj(seed ->
                        seed + " " + Long.toHexString(Simulator.run(seed).hash()))
                .collect(Collectors.joining("\n"));
        new GoldenFile("traces.txt").check(hashes + "\n");
    }
}
