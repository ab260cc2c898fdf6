package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.cli.RunCommand.OnLoss;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * These tests run commands where there is no /proc, as on macOS, so that the guard cannot work: the README's first
 * command ended with 64 there.
 */
class WithoutProcTest {

    private final RunCommand run = new RunCommand();

    WithoutProcTest() {
        new CommandLine(run);
    }

    @Test
    void theCommandRunsWithoutAGuardUnlessOneIsAskedFor() {
        assertThat(run.killsOnLoss(null, false)).isFalse();
        assertThat(run.killsOnLoss(OnLoss.IGNORE, false)).isFalse();
        assertThatThrownBy(() -> run.killsOnLoss(OnLoss.KILL, false))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("needs /proc");
    }

    @Test
    void withProcALostLockEndsTheCommandUnlessToldOtherwise() {
        assertThat(run.killsOnLoss(null, true)).isTrue();
        assertThat(run.killsOnLoss(OnLoss.KILL, true)).isTrue();
        assertThat(run.killsOnLoss(OnLoss.IGNORE, true)).isFalse();
    }
}
