package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.HolderInfo;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class VoteCountTest {

    private static final ClockReading NOW = new ClockReading(1_000_000_000L, 0);
    private static final NodeStatus VIEW = new NodeStatus("run", NOW, 0, Duration.ZERO);
    private static final Ballot BALLOT =
            new Ballot("x", new ClaimId("client", 1), false, 100, 5, Duration.ofSeconds(10), Ballot.Kind.CLAIM);

    private VoteCount poll(int nodes) {
        VoteCount poll = new VoteCount(nodes, nodes / 2 + 1, BALLOT);
        for (int i = 0; i < nodes; i++) {
            poll.asked(i);
        }
        return poll;
    }

    private static Vote yes(long token) {
        return new Vote.Yes(token, Validity.of(NOW, Duration.ofSeconds(10)), VIEW);
    }

    private static Vote stale(long last) {
        return new Vote.Stale(last, VIEW);
    }

    private static Vote far(long most) {
        return new Vote.TooFar(most, VIEW);
    }

    private static Vote busy(String owner, long token, Duration left) {
        return new Vote.Busy(new HolderInfo(owner, token, null, null, left), left, 0, VIEW);
    }

    private static Vote none() {
        return new Vote.NoVote(new NodeStatus("run", NOW, 0, Duration.ofMillis(11_001)));
    }

    @Test
    void aMajorityOfTheConfiguredNodesWinsAndNoLess() {
        VoteCount four = poll(4);
        four.answered(0, 100, yes(100));
        four.answered(1, 100, yes(100));
        assertThat(four.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        four.missed(2, 100, new NodeFailure("no answer", false));
        assertThat(four.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        four.missed(3, 100, new NodeFailure("no answer", false));
        assertThat(four.verdict()).isEqualTo(VoteCount.Verdict.FAILED);
        four.answered(3, 100, yes(100));
        assertThat(four.verdict()).isEqualTo(VoteCount.Verdict.WON);
    }

    @Test
    void aYesToAnEarlierProposalIsNotCountedForALaterOne() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, yes(100));
        poll.propose(200);
        for (int i = 0; i < 3; i++) {
            poll.asked(i);
        }
        assertThat(poll.saidYes(0)).isFalse();
        poll.answered(1, 100, yes(100));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        assertThat(poll.isOwed(1)).isTrue();
        poll.answered(2, 100, stale(500));
        assertThat(poll.isOwed(2)).isTrue();
        poll.missed(1, 100, new NodeFailure("late", false));
        assertThat(poll.isOwed(1)).isTrue();
        poll.answered(2, 200, yes(200));
        poll.answered(1, 200, yes(200));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.WON);
    }

    @Test
    void aYesThatCarriesAnotherTokenIsNotCounted() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, yes(100));
        poll.answered(1, 100, yes(99));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        assertThat(poll.saidYes(1)).isFalse();
    }

    @Test
    void aProposalIsRaisedWhereAMajorityThenCanAccept() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, stale(300));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        poll.answered(1, 100, stale(200));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        poll.answered(2, 100, busy("other", 99, null));
        assertThat(poll.raised()).isEqualTo(301);
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
    }

    @Test
    void theLastTokenItselfIsNotEnough() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, stale(100));
        poll.answered(1, 100, stale(100));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        assertThat(poll.raised()).isEqualTo(101);
    }

    @Test
    void aNodeThatIsFarAheadOfTheOthersIsLeftBehind() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, stale(9_000));
        poll.answered(1, 100, yes(100));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        poll.answered(2, 100, stale(150));
        assertThat(poll.raised()).isEqualTo(9_001);
        VoteCount bounded = poll(3);
        bounded.answered(0, 100, stale(9_000));
        bounded.answered(1, 100, far(90));
        bounded.answered(2, 100, far(95));
        assertThat(bounded.raised()).isEqualTo(90);
        assertThat(bounded.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        bounded.answered(2, 100, stale(9_500));
        assertThat(bounded.raised()).isEqualTo(9_501);
    }

    @Test
    void noMajorityIsLeftWhereTheNodesAreBusyOrHaveNoVote() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, busy("a", 90, null));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        poll.answered(1, 100, none());
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.FAILED);
        assertThat(poll.isContended()).isFalse();
        poll.answered(2, 100, stale(150));
        assertThat(poll.isContended()).isTrue();
        assertThat(poll.isHeldByOne()).isFalse();
        assertThat(poll.isAnyOwed()).isFalse();
    }

    @Test
    void oneHolderIsToldFromSeveralWhoHaveSplitTheNodes() {
        VoteCount poll = poll(5);
        poll.answered(0, 100, busy("a", 90, Duration.ofSeconds(3)));
        poll.answered(1, 100, busy("a", 91, Duration.ofSeconds(1)));
        poll.answered(2, 100, busy("a", 90, Duration.ofSeconds(5)));
        poll.answered(3, 100, busy("b", 90, null));
        assertThat(poll.isHeldByOne()).isFalse();
        assertThat(poll.holder().token()).isEqualTo(90);
        assertThat(poll.holder().owner()).isEqualTo("a");
        poll.answered(4, 100, busy("a", 90, Duration.ofSeconds(2)));
        assertThat(poll.isHeldByOne()).isTrue();
    }

    @Test
    void aMajorityIsFreeWhenTheMajorityThSmallestEndHasCome() {
        VoteCount poll = poll(5);
        poll.answered(0, 100, busy("a", 90, Duration.ofSeconds(3)));
        poll.answered(1, 100, busy("a", 90, Duration.ofSeconds(1)));
        assertThat(poll.timeLeft()).isNull();
        poll.answered(2, 100, busy("a", 90, Duration.ofSeconds(5)));
        assertThat(poll.timeLeft()).isEqualTo(Duration.ofSeconds(5));
        poll.answered(3, 100, none());
        assertThat(poll.timeLeft()).isEqualTo(Duration.ofSeconds(5));
        poll.answered(4, 100, yes(100));
        assertThat(poll.timeLeft()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void eachNodesAnswerIsPutIntoWords() {
        VoteCount poll = poll(8);
        poll.answered(0, 100, yes(100));
        poll.answered(1, 100, stale(150));
        poll.answered(2, 100, far(90));
        poll.answered(3, 100, busy("worker@host", 95, null));
        poll.answered(4, 100, none());
        poll.missed(5, 100, new NodeFailure("no answer within 50 ms", false));
        ClockReading later = new ClockReading(NOW.nanos() + 1_000_000_000L, 0);
        assertThat(poll.words(0, later)).isEqualTo("granted");
        assertThat(poll.words(1, later)).contains("150");
        assertThat(poll.words(2, later)).contains("90");
        assertThat(poll.words(3, later)).isEqualTo("busy with worker@host, token 95");
        assertThat(poll.words(4, later)).isEqualTo("no vote for another 11 s");
        assertThat(poll.words(5, later)).isEqualTo("no answer within 50 ms");
        assertThat(poll.words(6, later)).isEqualTo("no answer yet");
        assertThat(new VoteCount(1, 1, BALLOT).words(0, later)).isEqualTo("not asked");
    }

    @Test
    void onlyThoseThatSaidYesHaveADeadline() {
        VoteCount poll = poll(3);
        poll.answered(0, 100, yes(100));
        poll.answered(1, 100, stale(150));
        assertThat(poll.validities()[0]).isEqualTo(Validity.of(NOW, Duration.ofSeconds(10)));
        assertThat(poll.validities()[1]).isNull();
        assertThat(poll.validities()[2]).isNull();
    }

    /** A quorum whose nodes all answer was said to be unreachable. */
    @Test
    void aProposalThatIsAlwaysTooLateContends() {
        VoteCount poll = poll(4);
        poll.answered(0, 100, yes(100));
        poll.answered(1, 100, yes(100));
        poll.answered(2, 100, stale(300));
        poll.answered(3, 100, stale(300));
        assertThat(poll.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        assertThat(poll.isContended()).isTrue();
        VoteCount hopeless = poll(3);
        hopeless.answered(0, 100, stale(300));
        hopeless.answered(1, 100, far(50));
        hopeless.answered(2, 100, none());
        assertThat(hopeless.verdict()).isEqualTo(VoteCount.Verdict.FAILED);
        assertThat(hopeless.isContended()).isFalse();
    }
}
