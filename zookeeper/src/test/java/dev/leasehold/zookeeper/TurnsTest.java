package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TurnsTest {

    private final List<Runnable> left = new ArrayList<>();
    private final Turns turns = new Turns(left::add);
    private int ran;

    /** One task brings the next, as answers do that come in while turns are being worked off. */
    private void bring(int tasks) {
        if (tasks > 0) {
            turns.run(() -> {
                ran++;
                bring(tasks - 1);
            });
        }
    }

    @Test
    void aThreadThatBringsATaskIsNotKeptForEverByThoseOfOthers() {
        bring(10 * Turns.MOST);
        assertThat(ran).isEqualTo(Turns.MOST);
        turns.run(() -> ran++);
        assertThat(ran).as("it is the executor's turn").isEqualTo(Turns.MOST);
        while (!left.isEmpty()) {
            left.remove(0).run();
        }
        assertThat(ran).isEqualTo(10 * Turns.MOST + 1);
    }

    @Test
    void whatWasLeftToAnExecutorThatIsClosedIsDoneByWhoeverCloses() {
        bring(3 * Turns.MOST);
        assertThat(ran).isEqualTo(Turns.MOST);
        turns.closing();
        assertThat(ran).isEqualTo(3 * Turns.MOST);
        left.forEach(Runnable::run);
        bring(3 * Turns.MOST);
        assertThat(ran).isEqualTo(6 * Turns.MOST);
    }

    @Test
    void aTaskThatFailsKeepsNoOtherFromRunning() {
        turns.run(() -> {
            turns.run(() -> ran++);
            throw new IllegalStateException("a fault, for this test");
        });
        assertThat(ran).isEqualTo(1);
    }
}
