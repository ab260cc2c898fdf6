package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** These tests are about several claims and leases of one lock. */
class LocalQueueSharedTest {

    private final LocalQueueHarness harness = LocalQueueHarness.sharing(3);

    private List<Claim> claims() {
        return harness.all(Action.SendClaim.class).stream()
                .map(Action.SendClaim::claim)
                .toList();
    }

    /** Has so many callers hold a permit each. */
    private List<Hold> held(int count) {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Caller caller = harness.joins();
            harness.grants(harness.claim(), i);
            holds.add(harness.given(caller));
        }
        return holds;
    }

    @Test
    void eachCallerHasAClaim() {
        harness.joins();
        harness.joins();
        List<Claim> claims = claims();
        assertThat(claims).extracting(Claim::share).containsExactly(3, 3);
        assertThat(claims).extracting(Claim::spare).containsExactly(0, 0);
        assertThat(claims).extracting(Claim::enqueue).containsExactly(true, true);
        assertThat(claims.get(0).id()).isNotEqualTo(claims.get(1).id());
    }

    @Test
    void noMoreClaimsWaitThanCanBeGrantedTogether() {
        for (int i = 0; i < 10; i++) {
            harness.joins();
        }
        assertThat(claims()).hasSize(3);
    }

    @Test
    void noMoreThan64ClaimsWait() {
        LocalQueueHarness readers = LocalQueueHarness.sharing(Claim.UNLIMITED);
        for (int i = 0; i < 100; i++) {
            readers.joins();
        }
        assertThat(readers.all(Action.SendClaim.class)).hasSize(64);
    }

    @Test
    void holdsAreUnbounded() {
        LocalQueueHarness readers = LocalQueueHarness.sharing(Claim.UNLIMITED);
        for (int i = 0; i < 100; i++) {
            Caller caller = readers.joins();
            readers.grants(readers.claim());
            readers.given(caller);
        }
        readers.none(Action.SendRelease.class);
    }

    @Test
    void theFirstCallerTakesTheFirstGrant() {
        Caller first = harness.joins();
        Caller second = harness.joins();
        List<Claim> claims = claims();
        harness.grants(claims.get(1), 0);
        harness.given(first);
        harness.grants(claims.get(0), 1);
        harness.given(second);
    }

    @Test
    void eachClaimAsksForTheLeaseOfItsCaller() {
        Duration shorter = Duration.ofSeconds(7);
        harness.joins();
        harness.joins(DEFAULTS.withLeaseDuration(shorter));
        assertThat(claims()).extracting(Claim::lease).containsExactly(LEASE, shorter);
    }

    /** The lease is there, but is renewed first, because its caller will not renew it. */
    @Test
    void noClaimIsMadeForACallerWhoseLeaseIsBeingPrepared() {
        harness.joins(UNRENEWED);
        harness.pushes(harness.newLease(harness.claim()), 0, Duration.ofSeconds(5));
        harness.renewal();
        harness.none(Action.SendClaim.class);
    }

    /** No store of ours reserves one for a shared lease. */
    @Test
    void aRunOfTokensOfASharedLeaseIsNotUsed() {
        Caller first = harness.joins();
        Claim claim = harness.claim();
        harness.answers(
                claim, new ClaimAnswer.Granted(harness.newLease(claim), 5, 0, Validity.of(harness.now(), LEASE)));
        Hold hold = harness.given(first);
        harness.joins();
        harness.busy(harness.claim());
        harness.ends(hold);
        harness.none(Action.Give.class);
        assertThat(harness.release().token()).isEqualTo(hold.token());
    }

    @Test
    void aHoldHasTheSlotOfItsGrant() {
        List<Hold> holds = held(3);
        assertThat(holds).extracting(Hold::slot).containsExactly(0, 1, 2);
        assertThat(holds).extracting(Hold::share).containsOnly(3);
    }

    @Test
    void nothingIsHandedOnInsideTheProcess() {
        List<Hold> holds = held(3);
        harness.joins();
        Claim waiting = harness.claim();
        assertThat(waiting.enqueue()).isTrue();
        harness.busy(waiting);
        harness.ends(holds.get(1));
        harness.none(Action.Give.class);
        assertThat(harness.release().token()).isEqualTo(holds.get(1).token());
    }

    @Test
    void eachLeaseIsRenewedAndReleasedForItself() {
        List<Hold> holds = held(2);
        harness.pass(LEASE.dividedBy(2));
        List<LeaseId> renewed = harness.all(Action.SendRenew.class).stream()
                .map(Action.SendRenew::lease)
                .distinct()
                .toList();
        assertThat(renewed).hasSize(2);
        harness.storeSaysLost(renewed.get(0));
        assertThat(holds.get(0).state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(holds.get(1).state(harness.now()).isValid()).isTrue();
        harness.renewed(renewed.get(1), LEASE);
        harness.ends(holds.get(1));
        LeaseId back = harness.release();
        assertThat(back).isEqualTo(renewed.get(1));
        harness.released(back);
        harness.isIdle();
    }

    @Test
    void theYoungestClaimLeavesFirst() {
        Caller first = harness.joins();
        Caller second = harness.joins();
        Caller third = harness.joins();
        List<Claim> claims = claims();
        claims.forEach(harness::busy);
        harness.leaves(first);
        assertThat(harness.withdrawal()).isEqualTo(claims.get(2).id());
        harness.grants(claims.get(0), 0);
        harness.given(second);
        harness.leaves(third);
        assertThat(harness.withdrawal()).isEqualTo(claims.get(1).id());
    }

    @Test
    void aClaimUnderWayLeavesWhenItIsAnswered() {
        Caller first = harness.joins();
        harness.joins();
        List<Claim> claims = claims();
        harness.busy(claims.get(0));
        harness.leaves(first);
        harness.none(Action.SendWithdraw.class);
        harness.busy(claims.get(1));
        assertThat(harness.withdrawal()).isEqualTo(claims.get(1).id());
    }

    @Test
    void aGrantThatNobodyNeedsIsGivenBack() {
        Caller first = harness.joins();
        harness.joins();
        List<Claim> claims = claims();
        harness.leaves(first);
        harness.grants(claims.get(0), 0);
        harness.one(Action.Give.class);
        LeaseId second = harness.grants(claims.get(1), 1);
        assertThat(harness.release()).isEqualTo(second);
    }

    @Test
    void aPermitIsNotBusyUntilTheStoreSaysSo() {
        held(2);
        Caller caller = harness.tries();
        harness.none(Action.Refuse.class);
        Claim claim = harness.claim();
        assertThat(claim.enqueue()).isFalse();
        harness.busy(claim);
        harness.refused(caller);
        harness.none(Action.SendWithdraw.class);
    }

    @Test
    void asManyOwnHoldsAsTheShareAreBusy() {
        held(3);
        Caller caller = harness.tries();
        harness.refused(caller);
        harness.none(Action.SendClaim.class);
    }

    @Test
    void anOwnWaiterIsBusyForThoseThatTry() {
        harness.joins();
        harness.busy(harness.claim());
        harness.refused(harness.tries());
        harness.none(Action.SendClaim.class);
    }

    @Test
    void aBusyAnswerRefusesOnlyThoseThatNoClaimMayServe() {
        Caller first = harness.tries();
        Caller second = harness.tries();
        List<Claim> claims = claims();
        harness.busy(claims.get(1));
        harness.refused(second);
        harness.grants(claims.get(0), 0);
        harness.given(first);
    }

    @Test
    void aClaimWaitsForTheReleaseOfTheLastPermit() {
        List<Hold> holds = held(3);
        harness.ends(holds.get(0));
        LeaseId back = harness.release();
        Caller caller = harness.tries();
        harness.none(Action.SendClaim.class);
        harness.released(back);
        harness.grants(harness.claim(), 0);
        harness.given(caller);
    }

    @Test
    void aClaimDoesNotWaitForAReleaseBesideFreePermits() {
        List<Hold> holds = held(2);
        harness.ends(holds.get(0));
        harness.release();
        harness.tries();
        harness.claim();
    }

    @Test
    void aStrayGrantIsReleased() {
        held(1);
        Claim stray = new Claim(new ClaimId("client", 99), "lock", 3, LEASE, true);
        LeaseId lease = harness.newLease(stray);
        harness.pushes(lease, 0, LEASE);
        assertThat(harness.release()).isEqualTo(lease);
    }

    @Test
    void aForgottenClaimIsReplacedAlone() {
        harness.joins();
        harness.joins();
        List<Claim> claims = claims();
        harness.busy(claims.get(0));
        harness.busy(claims.get(1));
        harness.stopFor(Duration.ofSeconds(20));
        harness.look();
        assertThat(harness.all(Action.SendWithdraw.class)).hasSize(2);
        assertThat(claims()).hasSize(2).doesNotContainAnyElementsOf(claims);
    }

    @Test
    void anUnansweredClaimIsRepeatedBesideTheOthers() {
        Caller first = harness.joins();
        harness.joins();
        List<Claim> claims = claims();
        harness.claimFails(claims.get(0), Outcome.UNKNOWN);
        harness.grants(claims.get(1), 0);
        harness.given(first);
        harness.pass(Duration.ofSeconds(1));
        assertThat(claims()).extracting(Claim::id).contains(claims.get(0).id());
    }

    @Test
    void aThreadThatHoldsAndAsksAgainIsWarned() {
        Thread thread = Thread.currentThread();
        Caller first = waitsOn(thread);
        harness.grants(harness.claim(), 0);
        Hold hold = harness.given(first);
        Caller again = waitsOn(thread);
        harness.busy(harness.claim());
        harness.none(Action.WaitsForItself.class);
        harness.send(new Event.Asked(again));
        assertThat(harness.one(Action.WaitsForItself.class).hold()).isSameAs(hold);
    }

    @Test
    void askingBesideAnOwnLeaseIsWarnedOf() {
        Thread thread = Thread.currentThread();
        Caller reader = waitsOn(thread);
        harness.grants(harness.claim(), 0);
        Hold hold = harness.given(reader);
        Caller writer = new Caller(DEFAULTS, false, null);
        writer.waiter = new WeakReference<>(thread);
        harness.send(new Event.Asked(writer));
        assertThat(harness.one(Action.WaitsForItself.class).hold()).isSameAs(hold);
        harness.ends(hold);
        harness.send(new Event.Asked(writer));
        harness.none(Action.WaitsForItself.class);
    }

    private Caller waitsOn(Thread thread) {
        Caller caller = new Caller(DEFAULTS, false, null);
        caller.waiter = new WeakReference<>(thread);
        return harness.joins(caller);
    }

    @Test
    void closingLosesEveryHold() {
        List<Hold> holds = held(3);
        harness.close();
        harness.abandon();
        assertThat(harness.all(Action.Abandon.class)).hasSize(3);
        assertThat(holds).allSatisfy(hold -> assertThat(hold.isAbandoned()).isTrue());
        harness.isIdle();
    }

    @Test
    void aTryEndsWhateverOthersAreAnswered() {
        held(1);
        Caller caller = harness.tries();
        Claim unlucky = harness.claim();
        for (int i = 0; i < 11; i++) {
            harness.pass(Duration.ofMillis(100));
            if (i == 5) {
                harness.joins();
                harness.busy(harness.claim());
            }
        }
        assertThat(harness.failed(caller)).hasMessageContaining("did not answer");
        harness.busy(unlucky);
    }
}
