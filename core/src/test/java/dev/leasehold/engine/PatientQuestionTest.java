package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatientQuestionTest {

    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();

    private final StoppedTimeSource time = new StoppedTimeSource() {
        @Override
        public long nanos() {
            return now.get();
        }
    };

    /** On a busy machine `leasehold ls` gave up after five of its sixty seconds. */
    @Test
    void noConnectionInTimeIsNoAnswer() throws Exception {
        assertThat(question(Duration.ofSeconds(5), Outcome.NOT_CARRIED_OUT, 3).ask(time, A_MINUTE))
                .isEqualTo("answer");
        assertThat(asked).hasValue(3);
    }

    /** With the usual ten seconds it gave up after the first five. */
    @Test
    void theSecondAttemptIsMadeInTheTimeThatIsLeft() throws Exception {
        assertThat(question(Duration.ofSeconds(5), Outcome.NOT_CARRIED_OUT, 2).ask(time, Duration.ofSeconds(10)))
                .isEqualTo("answer");
    }

    @Test
    void threeQuartersOfTheTimeAreEnough() {
        assertFailsAfter(9, question(Duration.ofSeconds(5), Outcome.NOT_CARRIED_OUT, 99));
    }

    @Test
    void aStoreThatRefusesAtOnceIsBelieved() {
        assertFailsAfter(1, question(Duration.ofMillis(10), Outcome.NOT_CARRIED_OUT, 99));
    }

    @Test
    void whatMayHaveBeenSentIsNotAskedAgain() {
        assertFailsAfter(1, question(Duration.ofSeconds(5), Outcome.UNKNOWN, 99));
    }

    private void assertFailsAfter(int times, PatientQuestion<String> question) {
        assertThatThrownBy(() -> question.ask(time, A_MINUTE)).isInstanceOf(StoreUnavailableException.class);
        assertThat(asked).hasValue(times);
    }

    private PatientQuestion<String> question(Duration takes, Outcome failure, int answered) {
        return () -> {
            now.addAndGet(takes.toNanos());
            if (asked.incrementAndGet() == answered) {
                return "answer";
            }
            throw new StoreUnavailableException("no connection could be made", "store", failure, null);
        };
    }
}
