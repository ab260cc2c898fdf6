package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A writer that becomes a reader: from the sending on, until the store has answered. */
class LocalQueueDowngradeTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    private Extension downgrades(Hold hold) {
        Extension extension = new Extension(LEASE);
        harness.send(new Event.Downgrade(hold, extension));
        return extension;
    }

    private LeaseId sent() {
        return harness.one(Action.SendDowngrade.class).lease();
    }

    @Test
    void itIsAReaderFromTheSendingOn() {
        Hold hold = harness.held();
        assertThat(hold.share()).isEqualTo(Claim.EXCLUSIVE);
        downgrades(hold);
        assertThat(hold.share()).isEqualTo(Claim.UNLIMITED);
        assertThat(sent().token()).isEqualTo(hold.token());
        harness.none(Action.SendRenew.class);
    }

    @Test
    void theAnswerRenews() {
        Hold hold = harness.held();
        harness.stopFor(Duration.ofSeconds(5));
        Extension extension = downgrades(hold);
        harness.renewed(sent(), LEASE);
        assertThat(harness.one(Action.AnswerExtension.class)).isEqualTo(new Action.AnswerExtension(extension, null));
        assertThat(hold.remaining(harness.now()))
                .isGreaterThan(LEASE.multipliedBy(9).dividedBy(10));
        harness.pass(LEASE.dividedBy(2));
        assertThat(harness.all(Action.SendRenew.class)).isNotEmpty();
        harness.none(Action.SendDowngrade.class);
    }

    @Test
    void itIsRepeatedUntilItIsAnswered() {
        Hold hold = harness.held();
        downgrades(hold);
        LeaseId lease = sent();
        harness.send(new Event.RenewFailed(lease, LocalQueueHarness.down(Outcome.UNKNOWN)));
        harness.pass(Duration.ofSeconds(3));
        assertThat(harness.all(Action.SendDowngrade.class)).hasSizeGreaterThan(5);
        harness.none(Action.SendRenew.class);
        harness.renewed(lease, LEASE);
        harness.one(Action.AnswerExtension.class);
        harness.pass(LEASE.dividedBy(2));
        harness.none(Action.SendDowngrade.class);
    }

    /** A store may gather renewals: one that was asked for before the downgrade was sent after it. */
    @Test
    void anEarlierRenewalSentLaterIsNoAnswer() {
        Hold hold = harness.held();
        harness.passToNextDue();
        LeaseId lease = harness.renewal().lease();
        long askedAt = harness.now().nanos();
        harness.stopFor(Duration.ofMillis(10));
        downgrades(hold);
        sent();
        harness.stopFor(Duration.ofMillis(10));
        harness.renewed(lease, LEASE, harness.now(), askedAt);
        harness.none(Action.AnswerExtension.class);
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.all(Action.SendDowngrade.class)).isNotEmpty();
    }

    @Test
    void anEarlierRenewalsAnswerIsNoAnswer() {
        Hold hold = harness.held();
        harness.passToNextDue();
        LeaseId lease = harness.renewal().lease();
        var renewalSentAt = harness.now();
        harness.stopFor(Duration.ofMillis(10));
        downgrades(hold);
        sent();
        harness.renewed(lease, LEASE, renewalSentAt);
        harness.none(Action.AnswerExtension.class);
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.all(Action.SendDowngrade.class)).isNotEmpty();
    }

    @Test
    void itsRunEnds() {
        Caller first = harness.joins();
        Claim asked = harness.claim();
        LeaseId lease = harness.newLease(asked);
        harness.answers(asked, new ClaimAnswer.Granted(lease, 60, Validity.of(harness.now(), LEASE)));
        Hold hold = harness.given(first);
        Caller next = harness.joins();
        downgrades(hold);
        harness.renewed(sent(), LEASE);
        Claim claim = harness.claim();
        assertThat(claim.enqueue()).isTrue();
        harness.busy(claim);
        harness.ends(hold);
        harness.none(Action.Give.class);
        LeaseId back = harness.release();
        assertThat(back.token()).isEqualTo(hold.token());
        harness.released(back);
        harness.grants(claim);
        harness.given(next);
    }

    @Test
    void writersOfThisProcessQueueBehindIt() {
        Hold hold = harness.held();
        downgrades(hold);
        LeaseId lease = sent();
        harness.renewed(lease, LEASE);
        harness.refused(harness.tries());
        Caller writer = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.ends(hold);
        harness.release();
        // The store has handed the lock over by the release, and says so before it answers that.
        harness.pushes(harness.newLease(claim), 0, LEASE);
        Hold written = harness.given(writer);
        harness.released(lease);
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        harness.ends(written);
        harness.released(harness.release());
        harness.isIdle();
    }

    @Test
    void aLostLeaseIsNotDowngraded() {
        Hold hold = harness.held();
        harness.stopFor(LEASE.multipliedBy(2));
        Extension extension = downgrades(hold);
        Action.AnswerExtension answer = harness.one(Action.AnswerExtension.class);
        assertThat(answer.extension()).isSameAs(extension);
        assertThat(answer.failure()).isInstanceOf(LeaseLostException.class);
        harness.none(Action.SendDowngrade.class);
    }

    @Test
    void aLossEndsIt() {
        Hold hold = harness.held();
        Extension extension = downgrades(hold);
        harness.send(new Event.RenewAnswered(sent(), new RenewAnswer.Lost(), 0));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.AnswerExtension.class).extension()).isSameAs(extension);
        harness.isIdle();
    }

    @Test
    void aReleaseEndsItsRepetition() {
        Hold hold = harness.held();
        downgrades(hold);
        sent();
        harness.ends(hold);
        assertThat(harness.one(Action.AnswerExtension.class).failure()).isInstanceOf(LeaseLostException.class);
        LeaseId back = harness.release();
        harness.pass(Duration.ofSeconds(1));
        harness.none(Action.SendDowngrade.class);
        harness.released(back);
        harness.isIdle();
    }
}
