package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests show how terms and campaigns end, on virtual time: the margin, doubt, turns, outages. Leases of 30 s, so
 * 29.698 s on this side.
 */
class ElectionEndsTest {

    private static final Duration LEASE = Candidates.LEASE;
    private static final Duration VALID = Duration.ofMillis(29_698);
    private static final Duration MARGIN = Duration.ofSeconds(3);
    private static final Duration TICK = Duration.ofMillis(1);

    @AutoClose
    private final Candidates candidates = new Candidates();

    private final VirtualTime time = candidates.time;

    @Test
    @DisplayName("A candidate that resigns while its lease is in doubt does not lead on when the doubt is over")
    void whoResignsInDoubtDoesNotLeadOn() {
        Candidate leader = candidates.leader("leader");
        Candidate other = candidates.waiting("other");
        leader.line.down(true);
        time.jumpWallClock(Duration.ofHours(1));
        assertThat(leader.election.isLeader()).as("in doubt").isFalse();
        assertThat(leader.election.resign()).isTrue();
        leader.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(other.election.isLeader()).isTrue();
    }

    // ---- the margin ----

    @Test
    @DisplayName("A leader that cannot renew is demoted the margin before its deadline")
    void aLeaderThatCannotRenewIsDemotedEarly() {
        Candidate leader = candidates.leader("leader");
        Lease lease = leader.lease();
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN).minus(TICK));
        assertThat(leader.election.isLeader()).isTrue();
        time.advance(TICK);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(lease.isValid())
                .as("it was given back, as nobody had to be waited for")
                .isFalse();
    }

    @Test
    @DisplayName("A caller that looks at the margin sees that it is over, however late the timer is")
    void aLookAtTheMarginNeedsNoTimer() {
        Candidate leader = candidates.candidate("leader");
        List<Boolean> seen = new ArrayList<>();
        // Scheduled before the term's own timer for the same moment, so it comes first.
        time.schedule(VALID.minus(MARGIN), () -> {
            seen.add(leader.told.contains("demoted 1"));
            seen.add(leader.election.isLeader());
            seen.add(leader.told.contains("demoted 1"));
        });
        leader.election.start();
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN));
        assertThat(seen).containsExactly(false, false, true);
    }

    @Test
    void theMarginCanBeSetAndBeZero() {
        Candidate patient =
                candidates.candidate("patient", ElectionOptions.ofLease(LEASE).withMargin(Duration.ZERO));
        patient.election.start();
        patient.line.down(true);
        time.advance(VALID.minus(TICK));
        assertThat(patient.election.isLeader()).isTrue();
        time.advance(TICK);
        assertThat(patient.election.isLeader()).isFalse();
        assertThat(patient.told).containsExactly("elected 1", "demoted 1");
    }

    @Test
    @DisplayName("A pushed grant that lasts less than the margin is a leadership all the same")
    void aShortPushedGrantIsALeadershipAllTheSame() {
        ElectionOptions options = ElectionOptions.ofLease(Duration.ofMinutes(10));
        Candidate first = candidates.candidate("first", options);
        first.election.start();
        Candidate second = candidates.candidate("second", options);
        second.election.start();
        first.election.close();
        assertThat(second.election.isLeader()).isTrue();
        time.advance(Duration.ofHours(1));
        assertThat(second.told).containsExactly("elected 1");
    }

    @Test
    @DisplayName("A term that has ended does not come back when its lease is renewed after the margin")
    void aLateRenewalDoesNotBringATermBack() throws Exception {
        Candidate leader = candidates.leader("leader");
        Lease lease = leader.lease();
        CompletableFuture<Void> finished = new CompletableFuture<>();
        leader.election.addListener(new ElectionListener() {
            @Override
            public void demoted(Lease over) {
                leader.line.down(false);
                try {
                    over.extend(LEASE);
                    finished.complete(null);
                } catch (InterruptedException | RuntimeException e) {
                    finished.completeExceptionally(e);
                }
                assertThat(over.isValid()).isTrue();
                assertThat(leader.election.isLeader()).isFalse();
                leader.told.add("extended");
            }
        });
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN));
        finished.get();
        time.advance(LEASE);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "extended", "elected 2");
        assertThat(leader.terms.get(1)).isGreaterThan(leader.terms.get(0));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void nobodyElseIsElectedBeforeTheLeaderHasBeenDemoted() {
        Candidate cutOff = candidates.leader("cut off");
        Candidate other = candidates.waiting("other");
        cutOff.line.down(true);
        for (Duration passed = Duration.ZERO; passed.compareTo(LEASE) <= 0; passed = passed.plusMillis(10)) {
            assertThat(cutOff.election.isLeader() && other.election.isLeader()).isFalse();
            assertThat(other.told.isEmpty() || cutOff.told.contains("demoted 1"))
                    .isTrue();
            time.advance(Duration.ofMillis(10));
        }
        time.advance(Duration.ofMillis(100));
        assertThat(other.election.isLeader()).as("within one lease").isTrue();
        assertThat(other.terms.get(0)).isGreaterThan(cutOff.terms.get(0));
    }

    // ---- doubt ----

    @Test
    void inDoubtNobodyLeadsAndNothingIsToldIfItPasses() {
        Candidate leader = candidates.leader("leader");
        leader.line.down(true);
        time.jumpWallClock(Duration.ofHours(1));
        assertThat(leader.election.isLeader()).isFalse();
        leader.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.told).containsExactly("elected 1");
        time.advance(LEASE);
        assertThat(leader.told).containsExactly("elected 1");
    }

    @Test
    void aDoubtThatLastsAFifthOfTheLeaseEndsTheTerm() {
        Candidate leader = candidates.leader("leader");
        leader.line.down(true);
        time.suspend(Duration.ofMinutes(10));
        assertThat(leader.election.isLeader()).isFalse();
        time.advance(LEASE.dividedBy(5).minus(TICK));
        assertThat(leader.told).containsExactly("elected 1");
        time.advance(TICK);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
    }

    /** The term's timer saw first that the clocks had parted, and told nobody: the hold was lost before the store was asked. */
    @Test
    void aDoubtThatTheTermSeesFirstIsAskedAboutAtOnce() {
        Candidate leader = candidates.candidate(
                "leader", ElectionOptions.ofLease(Duration.ofSeconds(2)).withMargin(Duration.ofMillis(500)));
        leader.election.start();
        time.advance(Duration.ofMillis(1_400));
        time.suspend(Duration.ofMillis(400));
        time.advance(Duration.ofMillis(500));
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.told).containsExactly("elected 1");
    }

    // ---- other ends ----

    @Test
    @DisplayName("A leader whose lease is broken is demoted at once and stands again")
    void aBrokenLeaseDemotesTheLeaderAtOnce() throws Exception {
        Candidate leader = candidates.leader("leader");
        assertThat(candidates
                        .candidate("operator")
                        .client
                        .breakLock("office", leader.lease().token()))
                .isTrue();
        assertThat(leader.told).startsWith("elected 1", "demoted 1");
        time.advance(Duration.ofSeconds(2));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "elected 2");
        assertThat(leader.terms.get(1)).isGreaterThan(leader.terms.get(0));
    }

    @Test
    void aLeaseThatItsUserReleasesIsTheEndOfTheTerm() throws Exception {
        Candidate leader = candidates.leader("leader");
        assertThat(leader.lease().release()).isNotNull();
        time.advance(Duration.ofSeconds(2));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "elected 2");
    }

    @Test
    void whoResignsStandsAgainBehindThoseWhoWait() {
        Candidate first = candidates.leader("first");
        Candidate second = candidates.waiting("second");
        Candidate third = candidates.waiting("third");
        assertThat(first.election.resign()).isTrue();
        assertThat(first.election.isLeader()).isFalse();
        assertThat(second.election.isLeader()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(second.election.resign()).isTrue();
        assertThat(third.election.isLeader()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(third.election.resign()).isTrue();
        assertThat(first.election.isLeader()).isTrue();
        assertThat(List.of(first.terms.get(0), second.terms.get(0), third.terms.get(0), first.terms.get(1)))
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(first.told).containsExactly("elected 1", "demoted 1", "elected 2");
    }

    @Test
    void whoResignsAloneIsElectedAgainAfterAPause() {
        Candidate alone = candidates.leader("alone");
        assertThat(alone.election.resign()).isTrue();
        time.advance(Duration.ofMillis(499));
        assertThat(alone.election.isLeader()).isFalse();
        assertThat(alone.election.resign()).isFalse();
        time.advance(Duration.ofMillis(1001));
        assertThat(alone.election.isLeader()).isTrue();
        assertThat(alone.terms.get(1)).isGreaterThan(alone.terms.get(0));
    }

    @Test
    void theLockIsGivenBackAfterTheListenersHaveBeenTold() {
        Candidate leader = candidates.leader("leader");
        Candidate other = candidates.waiting("other");
        List<Boolean> seen = new ArrayList<>();
        leader.election.addListener(new ElectionListener() {
            @Override
            public void demoted(Lease lease) {
                seen.add(lease.isValid());
                seen.add(leader.election.isLeader());
                seen.add(other.election.isLeader());
            }
        });
        leader.election.resign();
        assertThat(seen).containsExactly(true, false, false);
        assertThat(other.election.isLeader()).isTrue();
    }

    @Test
    void closingEndsTheCampaignForGood() throws Exception {
        Candidate leader = candidates.leader("leader");
        Candidate second = candidates.waiting("second");
        Candidate third = candidates.waiting("third");
        second.election.close();
        leader.election.close();
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(third.election.isLeader()).isTrue();
        time.advance(LEASE);
        assertThat(third.client.locks("office"))
                .allSatisfy(office -> assertThat(office.waiters()).isEmpty());
        leader.election.close();
        third.election.close();
        time.advance(LEASE);
        assertThat(leader.told).hasSize(2);
        assertThat(second.told).isEmpty();
        assertThat(third.client.locks("*")).isEmpty();
        assertThatThrownBy(leader.election::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> leader.election.run(lease -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheClientEndsTheTermAndTheWaitForOne() throws Exception {
        Candidate leader = candidates.leader("leader");
        Candidate other = candidates.waiting("other");
        CompletableFuture<Lease> waits = other.election.awaitLeadershipAsync();
        other.client.close();
        assertThat(waits).isCompletedExceptionally();
        leader.client.close();
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThatThrownBy(other.election::start).isInstanceOf(IllegalStateException.class);
        assertThat(candidates.candidate("late").client.locks("*")).isEmpty();
    }

    @Test
    void closingTheClientEndsTheWaitAlsoInAPause() {
        Candidate alone = candidates.leader("alone");
        alone.election.resign();
        CompletableFuture<Lease> waits = alone.election.awaitLeadershipAsync();
        alone.client.close();
        assertThat(waits).isCompletedExceptionally();
        time.advance(LEASE);
        assertThat(alone.told).containsExactly("elected 1", "demoted 1");
    }

    // ---- outages ----

    @Test
    void outagesEndTermsAndNotCampaigns() {
        Candidate leader = candidates.leader("leader");
        Candidate other = candidates.waiting("other");
        leader.line.down(true);
        other.line.down(true);
        time.advance(Duration.ofMinutes(10));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(other.told).isEmpty();
        other.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(other.election.isLeader()).isTrue();
        leader.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(other.election.resign()).isTrue();
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.terms.get(1)).isGreaterThan(other.terms.get(0));
    }

    @Test
    void anOutageFromTheStartIsWaitedFor() {
        Candidate candidate = candidates.candidate("candidate");
        candidate.line.down(true);
        candidate.election.start();
        candidate.election.start();
        CompletableFuture<Lease> waits = candidate.election.awaitLeadershipAsync();
        time.advance(Duration.ofHours(1));
        assertThat(waits).isNotDone();
        candidate.line.down(false);
        time.advance(Duration.ofSeconds(3));
        assertThat(candidate.election.isLeader()).isTrue();
        assertThat(waits).isCompletedWithValue(candidate.lease());
    }
}
