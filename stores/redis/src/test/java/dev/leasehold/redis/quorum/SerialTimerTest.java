package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/**
 * A timer may be late: its task is then due, and waits for the serial executor, while the task before it decides that
 * it is not wanted.
 */
class SerialTimerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> work = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final SerialTimer timer = new SerialTimer(time, SerialExecutor.on(work::add));

    private void work() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    @Test
    void firesOnceAndIsNotSetThen() {
        timer.set(SECOND, () -> ran.add("first " + timer.isSet()));
        assertThat(timer.isSet()).isTrue();
        time.advance(SECOND);
        work();
        time.advance(SECOND);
        work();
        assertThat(ran).containsExactly("first false");
    }

    @Test
    void aDueTaskThatIsCalledOffDoesNotRun() {
        timer.set(SECOND, () -> ran.add("first"));
        time.advance(SECOND);
        timer.stop();
        work();
        assertThat(ran).isEmpty();
        assertThat(timer.isSet()).isFalse();
    }

    @Test
    void aReplacedTaskDoesNotRunNorTheNextOneEarly() {
        timer.set(SECOND, () -> ran.add("first"));
        time.advance(SECOND);
        timer.set(SECOND, () -> ran.add("second"));
        work();
        assertThat(ran).isEmpty();
        time.advance(SECOND);
        work();
        assertThat(ran).containsExactly("second");
    }

    @Test
    void mayBeSetAgainByWhatItDoes() {
        timer.set(SECOND, () -> timer.set(SECOND, () -> ran.add("again")));
        time.advance(SECOND);
        work();
        assertThat(timer.isSet()).isTrue();
        time.advance(SECOND);
        work();
        assertThat(ran).containsExactly("again");
    }

    @Test
    void aTimerThatIsCalledOffIsNotKept() {
        for (int i = 0; i < 1000; i++) {
            timer.set(SECOND, () -> ran.add("one"));
        }
        timer.stop();
        time.advance(SECOND);
        assertThat(work).isEmpty();
    }
}
