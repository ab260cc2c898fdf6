package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProcessSignalsTest {

    @Test
    void ctrlCReachesOnlyTheGroupInTheForeground() {
        String stat = "42 (a) b) S 1 42 7 34816 %s 4194304 0";

        assertThat(ProcessSignals.isInForeground(String.format(stat, "42"))).isTrue();
        assertThat(ProcessSignals.isInForeground(String.format(stat, "43"))).isFalse();
        assertThat(ProcessSignals.isInForeground("42 (sh) S 1 42 7 0 -1 4194304 0"))
                .isFalse();
    }

    @Test
    @DisplayName("A hang up of the terminal is not passed on to a command that has it")
    void aHangUpIsNotPassedOnToACommandThatHasIt() {
        String with = "42 (java) S 7 42 7 34816 42 4194304 0";
        String without = "42 (java) S 7 42 7 0 -1 4194304 0";
        long second = 1_000_000_000L;
        Hangups hangups = new Hangups(with);

        assertThat(hangups.commandHasIt(with, 0)).isFalse();
        assertThat(hangups.commandHasIt(without, 5 * second)).isTrue();
        assertThat(hangups.commandHasIt(without, 5 * second + 1)).isTrue();
        assertThat(hangups.commandHasIt(without, 7 * second)).isFalse();
        assertThat(new Hangups(without).commandHasIt(without, 0)).isFalse();
        assertThat(new Hangups("7" + with.substring(2)).commandHasIt("7" + without.substring(2), 0))
                .isFalse();
    }

    @Test
    @DisplayName("Ctrl+C just before the command starts is not taken for delivered")
    void ctrlCBeforeTheCommandStartsIsNotDelivered() {
        assertThat(ProcessSignals.commandHasIt("INT", Duration.ofMillis(50), true))
                .isFalse();
        assertThat(ProcessSignals.commandHasIt("INT", Duration.ofSeconds(5), true))
                .isTrue();
        assertThat(ProcessSignals.commandHasIt("INT", Duration.ofSeconds(5), false))
                .isFalse();
        assertThat(ProcessSignals.commandHasIt("TERM", Duration.ofSeconds(5), true))
                .isFalse();
    }
}
