package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseLostException;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about extending a lease that is held. */
class LocalQueueExtensionTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void anExtensionAsksAtOnceAndIsDoneWhenItIsAnswered() {
        Hold hold = harness.held();
        Extension extension = harness.extend(hold, Duration.ofMinutes(10));
        Action.SendRenew renewal = harness.renewal();
        assertThat(renewal.duration()).isEqualTo(Duration.ofMinutes(10));
        harness.renewed(renewal.lease(), Duration.ofMinutes(10));
        assertThat(harness.one(Action.AnswerExtension.class)).isEqualTo(new Action.AnswerExtension(extension, null));
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void anAnswerToAnEarlierRequestIsNoAnswerToAnExtension() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofMillis(1));
        harness.extend(hold, Duration.ofMinutes(10));
        harness.forget();
        harness.renewed(lease, LEASE, sentAt);
        harness.none(Action.AnswerExtension.class);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.all(Action.SendRenew.class))
                .as("the extension is still asked for")
                .isNotEmpty();
    }

    /** A store may gather renewals: one that was asked for before the extension was sent after it. */
    @Test
    void anEarlierRequestSentLaterAnswersNoExtension() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        long askedAt = harness.now().nanos();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofMillis(1));
        harness.extend(hold, Duration.ofMinutes(10));
        harness.forget();
        harness.stopFor(Duration.ofMillis(1));
        harness.renewed(lease, LEASE, harness.now(), askedAt);
        harness.none(Action.AnswerExtension.class);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.all(Action.SendRenew.class))
                .as("the extension is still asked for")
                .isNotEmpty();
    }

    @Test
    void anExtensionIsCutToWhatIsLeftOfMaxHold() {
        Hold hold = harness.held(DEFAULTS.withMaxHold(Duration.ofMinutes(1)));
        harness.extend(hold, Duration.ofMinutes(10));
        assertThat(harness.renewal().duration()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void anExtensionOfALostLeaseFails() {
        Hold hold = harness.held();
        Extension pending = harness.extend(hold, Duration.ofMinutes(10));
        harness.storeSaysLost(harness.renewal().lease());
        assertThat(harness.one(Action.AnswerExtension.class).extension()).isSameAs(pending);
        harness.extend(hold, Duration.ofMinutes(10));
        assertThat(harness.one(Action.AnswerExtension.class).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anExtensionOfALeaseThatIsReleasedMeanwhileFails() {
        Hold hold = harness.held();
        Extension extension = harness.extend(hold, Duration.ofMinutes(10));
        harness.ends(hold);
        Action.AnswerExtension answer = harness.one(Action.AnswerExtension.class);
        assertThat(answer.extension()).isSameAs(extension);
        assertThat(answer.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("An extension of an unrenewed hold does not start the watchdog")
    void anExtensionDoesNotStartTheWatchdog() {
        Hold hold = harness.held(UNRENEWED);
        harness.extend(hold, Duration.ofMinutes(1));
        harness.renewed(harness.renewal().lease(), Duration.ofMinutes(1));
        harness.pass(Duration.ofSeconds(55));
        harness.none(Action.SendRenew.class);
    }
}
