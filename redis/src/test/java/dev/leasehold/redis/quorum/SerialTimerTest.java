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

/** A timer may be late: its task is then due, and waits for a turn, while the turn before it decides that it is not wanted. */
class SerialTimerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> work = new ArrayDeque<>();
    private final List<String> rung = new ArrayList<>();
    private final SerialTimer alarm = new SerialTimer(time, SerialExecutor.on(work::add));

    private void work() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    @Test
    void ringsOnceAndIsNotSetThen() {
        alarm.set(SECOND, () -> rung.add("first " + alarm.isSet()));
        assertThat(alarm.isSet()).isTrue();
        time.advance(SECOND);
        work();
        time.advance(SECOND);
        work();
        assertThat(rung).containsExactly("first false");
    }

    @Test
    void aDueTaskThatIsCalledOffDoesNotRun() {
        alarm.set(SECOND, () -> rung.add("first"));
        time.advance(SECOND);
        alarm.stop();
        work();
        assertThat(rung).isEmpty();
        assertThat(alarm.isSet()).isFalse();
    }

    @Test
    void aReplacedTaskDoesNotRunNorTheNextOneEarly() {
        alarm.set(SECOND, () -> rung.add("first"));
        time.advance(SECOND);
        alarm.set(SECOND, () -> rung.add("second"));
        work();
        assertThat(rung).isEmpty();
        time.advance(SECOND);
        work();
        assertThat(rung).containsExactly("second");
    }

    @Test
    void mayBeSetAgainByWhatItDoes() {
        alarm.set(SECOND, () -> alarm.set(SECOND, () -> rung.add("again")));
        time.advance(SECOND);
        work();
        assertThat(alarm.isSet()).isTrue();
        time.advance(SECOND);
        work();
        assertThat(rung).containsExactly("again");
    }

    @Test
    void aTimerThatIsCalledOffIsNotKept() {
        for (int i = 0; i < 1000; i++) {
            alarm.set(SECOND, () -> rung.add("one"));
        }
        alarm.stop();
        time.advance(SECOND);
        assertThat(work).isEmpty();
    }
}
