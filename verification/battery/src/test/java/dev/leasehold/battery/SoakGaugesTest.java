package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A soak fails if there is more of anything in the end than at the beginning. */
@Tag("slow")
class SoakGaugesTest {

    private static final long MEBI = 1 << 20;

    private final SoakGauges gauges = new SoakGauges();

    private void add(long heapMebi, int threads, long files, Map<String, Long> store) {
        gauges.add(Map.of("client-1", new ClientGauges(heapMebi * MEBI, threads, files)), store);
    }

    @Test
    void asMuchAsAtTheBeginningIsAccepted() {
        add(10, 14, 100, Map.of("connections", 12L, "keys", 53L));
        add(90, 90, 900, Map.of("connections", 99L, "keys", 99L)); // While it worked.
        add(12, 16, 102, Map.of("connections", 13L, "keys", 53L));
        assertThat(gauges.grown()).isEmpty();
    }

    @Test
    void aHeapThatHasGrownIsNamed() {
        add(10, 14, 100, Map.of());
        add(18, 14, 100, Map.of());
        assertThat(gauges.grown()).singleElement().asString().startsWith("client-1: heap");
    }

    @Test
    void threadsThatHaveComeAreNamed() {
        add(10, 14, 100, Map.of());
        add(10, 18, 100, Map.of());
        assertThat(gauges.grown()).containsExactly("client-1: threads was 14 and is 18");
    }

    @Test
    void filesThatWereNotClosedAreNamed() {
        add(10, 14, 100, Map.of());
        add(10, 14, 104, Map.of());
        assertThat(gauges.grown()).containsExactly("client-1: open files was 100 and is 104");
    }

    @Test
    void aKeyThatWasNotThereAndAConnectionTooManyAreNamed() {
        add(10, 14, 100, Map.of("connections", 12L));
        add(10, 14, 100, Map.of("connections", 14L, "keys", 1L));
        assertThat(gauges.grown()).containsExactlyInAnyOrder("connections was 12 and is 14", "keys was 0 and is 1");
    }

    @Test
    void aClientThatBeganLaterIsComparedWithTheGreatest() {
        add(10, 14, 100, Map.of());
        gauges.add(Map.of("client-2", new ClientGauges(10 * MEBI, 18, 100)), Map.of());
        assertThat(gauges.grown()).containsExactly("client-2: threads was 14 and is 18");
    }
}
