package dev.leasehold.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The limits of requests, on a clock that the test moves. A request is a name. The store's time-out is 1,000 ms. */
class TimeoutsTest {

    private record Timer(long due, Runnable task) {}

    private final List<Timer> timers = new ArrayList<>();
    private final Set<String> answered = new TreeSet<>();
    private final List<String> late = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos(); // A clock may run over.
    private final Timeouts<String> timeouts =
            new Timeouts<>(() -> nanos, this::schedule, Duration.ofSeconds(1), answered::contains, late::addAll);

    private Runnable schedule(Duration delay, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    private void advance(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
        for (Timer timer : List.copyOf(timers)) {
            if (timer.due() - nanos <= 0) {
                timers.remove(timer);
                timer.task().run();
            }
        }
    }

    @Test
    void aRequestIsGivenUpBeforeItsCallerIs() {
        assertThat(timeouts.limit()).isEqualTo("950 ms");
        timeouts.add("a", nanos);
        advance(949);
        assertThat(late).isEmpty();
        advance(1);
        assertThat(late).containsExactly("a");
        assertThat(timers).isEmpty();
    }

    @Test
    void oneTimerGivesUpAllInTheirOrder() {
        timeouts.add("a", nanos);
        advance(100);
        timeouts.add("b", nanos);
        timeouts.add("c", nanos);
        assertThat(timers).hasSize(1);
        advance(850);
        assertThat(late).containsExactly("a");
        assertThat(timers).hasSize(1);
        advance(99);
        assertThat(late).containsExactly("a");
        advance(1);
        assertThat(late).containsExactly("a", "b", "c");
        timeouts.add("d", nanos);
        advance(950);
        assertThat(late).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whatIsAnsweredIsNotGivenUp() {
        List.of("a", "b", "c").forEach(request -> timeouts.add(request, nanos));
        answered.add("a");
        answered.add("c");
        advance(60_000);
        assertThat(late).containsExactly("b");
        assertThat(timeouts.close()).isEmpty();
    }

    @Test
    void whatIsAnsweredBeforeNeedsNoTimer() {
        answered.add("a");
        assertThat(timeouts.add("a", nanos)).isTrue();
        assertThat(timers).isEmpty();
        assertThat(timeouts.close()).isEmpty();
    }

    @Test
    void theTimeInWhichAQuestionStartsTheConnectionCounts() {
        long asked = nanos;
        advance(900);
        timeouts.add("a", asked);
        advance(49);
        assertThat(late).isEmpty();
        advance(1);
        assertThat(late).containsExactly("a");
    }

    @Test
    @DisplayName("A question that starts the connection for too long is given up at once")
    void aQuestionThatConnectsForTooLongIsGivenUpAtOnce() {
        long asked = nanos;
        advance(2_000);
        timeouts.add("a", asked);
        advance(0);
        assertThat(late).containsExactly("a");
    }

    @Test
    void closingReturnsWhatIsLeftAndTakesNoMore() {
        List.of("a", "b").forEach(request -> timeouts.add(request, nanos));
        assertThat(timeouts.close()).containsExactly("a", "b");
        assertThat(timers).isEmpty();
        assertThat(timeouts.add("c", nanos)).isFalse();
        assertThat(timeouts.close()).isEmpty();
        advance(60_000);
        assertThat(late).isEmpty();
    }
}
