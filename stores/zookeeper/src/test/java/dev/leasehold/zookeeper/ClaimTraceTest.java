package dev.leasehold.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests compare what claims send, answer and signal, in its order, with what they sent when the traces were recorded.
 * The traces are random runs over a scripted ensemble: lost connections, ended sessions, refusals, strangers in the queue,
 * time that passes.
 *
 * <p>A change of behaviour that is wanted changes them: {@code -Dleasehold.traces=record} writes them anew. Where one differs
 * that should not, the whole text of it lies in {@code target/claim-traces}; the one before is found with the code before.
 */
@Tag("slow")
class ClaimTraceTest {

    private static final int SEEDS = 600;
    private static final int STEPS = 300;
    private static final Path RECORDED = Path.of("src/test/resources/claim-traces.txt");
    private static final Path WRITTEN = Path.of("target/claim-traces");

    @Test
    @DisplayName("claims send, answer and signal the same, in the same order, as when the traces were recorded")
    void tracesAreThoseThatWereRecorded() throws Exception {
        boolean record = "record".equals(System.getProperty("leasehold.traces"));
        List<ScriptedHandle> handles = new ArrayList<>();
        for (int i = 0; i < ClaimTrace.SESSIONS; i++) {
            handles.add(new ScriptedHandle());
        }
        TreeMap<String, String> traces = new TreeMap<>();
        List<String> hashes = new ArrayList<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            String trace = String.join("\n", new ClaimTrace(seed, handles).run(STEPS));
            String hash = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(trace.getBytes(UTF_8)), 0, 8);
            hashes.add(hash);
            traces.put(hash, trace);
        }
        if (record) {
            Files.createDirectories(RECORDED.getParent());
            Files.write(RECORDED, hashes);
        }
        List<String> recorded = Files.readAllLines(RECORDED);
        Files.createDirectories(WRITTEN);
        for (int seed = 0; seed < SEEDS; seed++) {
            String hash = hashes.get(seed);
            if (record || !recorded.get(seed).equals(hash)) {
                Files.writeString(WRITTEN.resolve(seed + ".txt"), traces.get(hash));
            }
        }
        assertThat(hashes).isEqualTo(recorded);
    }
}
