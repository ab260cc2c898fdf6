package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseLostException;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Extending a lease that is held. */
class LocalQueueExtensionTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void anExtensionAsksAtOnceAndIsDoneWhenItIsAnswered() {
        Hold hold = bench.held();
        Extension extension = bench.extend(hold, Duration.ofMinutes(10));
        Action.SendRenew renewal = bench.renewal();
        assertThat(renewal.duration()).isEqualTo(Duration.ofMinutes(10));
        bench.renewed(renewal.lease(), Duration.ofMinutes(10));
        assertThat(bench.one(Action.AnswerExtension.class)).isEqualTo(new Action.AnswerExtension(extension, null));
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void anAnswerToAnEarlierRequestIsNoAnswerToAnExtension() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofMillis(1));
        bench.extend(hold, Duration.ofMinutes(10));
        bench.forget();
        bench.renewed(lease, LEASE, sentAt);
        bench.none(Action.AnswerExtension.class);
        bench.pass(Duration.ofMillis(200));
        assertThat(bench.all(Action.SendRenew.class))
                .as("the extension is still asked for")
                .isNotEmpty();
    }

    @Test
    void anExtensionIsCutToWhatIsLeftOfMaxHold() {
        Hold hold = bench.held(DEFAULTS.withMaxHold(Duration.ofMinutes(1)));
        bench.extend(hold, Duration.ofMinutes(10));
        assertThat(bench.renewal().duration()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void anExtensionOfALostLeaseFails() {
        Hold hold = bench.held();
        Extension pending = bench.extend(hold, Duration.ofMinutes(10));
        bench.storeSaysLost(bench.renewal().lease());
        assertThat(bench.one(Action.AnswerExtension.class).extension()).isSameAs(pending);
        bench.extend(hold, Duration.ofMinutes(10));
        assertThat(bench.one(Action.AnswerExtension.class).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anExtensionOfALeaseThatIsReleasedMeanwhileFails() {
        Hold hold = bench.held();
        Extension extension = bench.extend(hold, Duration.ofMinutes(10));
        bench.ends(hold);
        Action.AnswerExtension answer = bench.one(Action.AnswerExtension.class);
        assertThat(answer.extension()).isSameAs(extension);
        assertThat(answer.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anExtensionOfAnUnrenewedHoldDoesNotStartTheWatchdog() {
        Hold hold = bench.held(UNRENEWED);
        bench.extend(hold, Duration.ofMinutes(1));
        bench.renewed(bench.renewal().lease(), Duration.ofMinutes(1));
        bench.pass(Duration.ofSeconds(55));
        bench.none(Action.SendRenew.class);
    }
}
