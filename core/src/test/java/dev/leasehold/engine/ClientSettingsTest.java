package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.Leasehold;
import org.junit.jupiter.api.Test;

/** A client's settings are refused where they are out of range, by the name of the setting. */
class ClientSettingsTest {

    @Test
    void aLockIsHandedOnSixtyFourTimesInARowAtMost() {
        Leasehold.builder().localHandOvers(64);
        for (int bad : new int[] {-1, 65, Integer.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Leasehold.builder().localHandOvers(bad))
                    .withMessage("localHandOvers must be 0 to 64, but was " + bad);
        }
    }
}
