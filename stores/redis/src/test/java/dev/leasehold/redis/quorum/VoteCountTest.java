package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
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

    private VoteCount count(int nodes) {
        VoteCount count = new VoteCount(nodes, nodes / 2 + 1, BALLOT);
        for (int i = 0; i < nodes; i++) {
            count.asked(i);
        }
        return count;
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
        VoteCount four = count(4);
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
        VoteCount count = count(3);
        count.answered(0, 100, yes(100));
        count.propose(200);
        for (int i = 0; i < 3; i++) {
            count.asked(i);
        }
        assertThat(count.saidYes(0)).isFalse();
        count.answered(1, 100, yes(100));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        assertThat(count.isOwed(1)).isTrue();
        count.answered(2, 100, stale(500));
        assertThat(count.isOwed(2)).isTrue();
        count.missed(1, 100, new NodeFailure("late", false));
        assertThat(count.isOwed(1)).isTrue();
        count.answered(2, 200, yes(200));
        count.answered(1, 200, yes(200));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.WON);
    }

    @Test
    void aYesThatCarriesAnotherTokenIsNotCounted() {
        VoteCount count = count(3);
        count.answered(0, 100, yes(100));
        count.answered(1, 100, yes(99));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        assertThat(count.saidYes(1)).isFalse();
    }

    @Test
    void aProposalIsRaisedWhereAMajorityThenCanAccept() {
        VoteCount count = count(3);
        count.answered(0, 100, stale(300));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        count.answered(1, 100, stale(200));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        count.answered(2, 100, busy("other", 99, null));
        assertThat(count.raised()).isEqualTo(301);
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
    }

    @Test
    void theLastTokenItselfIsNotEnough() {
        VoteCount count = count(3);
        count.answered(0, 100, stale(100));
        count.answered(1, 100, stale(100));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        assertThat(count.raised()).isEqualTo(101);
    }

    @Test
    void aNodeThatIsFarAheadOfTheOthersIsLeftBehind() {
        VoteCount count = count(3);
        count.answered(0, 100, stale(9_000));
        count.answered(1, 100, yes(100));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        count.answered(2, 100, stale(150));
        assertThat(count.raised()).isEqualTo(9_001);
        VoteCount bounded = count(3);
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
        VoteCount count = count(3);
        count.answered(0, 100, busy("a", 90, null));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.OPEN);
        count.answered(1, 100, none());
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.FAILED);
        assertThat(count.isContended()).isFalse();
        count.answered(2, 100, stale(150));
        assertThat(count.isContended()).isTrue();
        assertThat(count.isHeldByOne()).isFalse();
        assertThat(count.isAnyOwed()).isFalse();
    }

    @Test
    void oneHolderIsToldFromSeveralWhoHaveSplitTheNodes() {
        VoteCount count = count(5);
        count.answered(0, 100, busy("a", 90, Duration.ofSeconds(3)));
        count.answered(1, 100, busy("a", 91, Duration.ofSeconds(1)));
        count.answered(2, 100, busy("a", 90, Duration.ofSeconds(5)));
        count.answered(3, 100, busy("b", 90, null));
        assertThat(count.isHeldByOne()).isFalse();
        assertThat(count.holder().token()).isEqualTo(90);
        assertThat(count.holder().owner()).isEqualTo("a");
        count.answered(4, 100, busy("a", 90, Duration.ofSeconds(2)));
        assertThat(count.isHeldByOne()).isTrue();
    }

    @Test
    void aMajorityIsFreeWhenTheMajorityThSmallestEndHasCome() {
        VoteCount count = count(5);
        count.answered(0, 100, busy("a", 90, Duration.ofSeconds(3)));
        count.answered(1, 100, busy("a", 90, Duration.ofSeconds(1)));
        assertThat(count.timeLeft()).isNull();
        count.answered(2, 100, busy("a", 90, Duration.ofSeconds(5)));
        assertThat(count.timeLeft()).isEqualTo(Duration.ofSeconds(5));
        count.answered(3, 100, none());
        assertThat(count.timeLeft()).isEqualTo(Duration.ofSeconds(5));
        count.answered(4, 100, yes(100));
        assertThat(count.timeLeft()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void eachNodesAnswerIsPutIntoWords() {
        VoteCount count = count(8);
        count.answered(0, 100, yes(100));
        count.answered(1, 100, stale(150));
        count.answered(2, 100, far(90));
        count.answered(3, 100, busy("worker@host", 95, null));
        count.answered(4, 100, none());
        count.missed(5, 100, new NodeFailure("no answer within 50 ms", false));
        ClockReading later = new ClockReading(NOW.nanos() + 1_000_000_000L, 0);
        assertThat(count.words(0, later)).isEqualTo("granted");
        assertThat(count.words(1, later)).contains("150");
        assertThat(count.words(2, later)).contains("90");
        assertThat(count.words(3, later)).isEqualTo("busy with worker@host, token 95");
        assertThat(count.words(4, later)).isEqualTo("no vote for another 11 s");
        assertThat(count.words(5, later)).isEqualTo("no answer within 50 ms");
        assertThat(count.words(6, later)).isEqualTo("no answer yet");
        assertThat(new VoteCount(1, 1, BALLOT).words(0, later)).isEqualTo("not asked");
    }

    @Test
    void onlyThoseThatSaidYesHaveADeadline() {
        VoteCount count = count(3);
        count.answered(0, 100, yes(100));
        count.answered(1, 100, stale(150));
        assertThat(count.validities()[0]).isEqualTo(Validity.of(NOW, Duration.ofSeconds(10)));
        assertThat(count.validities()[1]).isNull();
        assertThat(count.validities()[2]).isNull();
    }

    /** A quorum whose nodes all answer was said to be unreachable. */
    @Test
    void aProposalThatIsAlwaysTooLateContends() {
        VoteCount count = count(4);
        count.answered(0, 100, yes(100));
        count.answered(1, 100, yes(100));
        count.answered(2, 100, stale(300));
        count.answered(3, 100, stale(300));
        assertThat(count.verdict()).isEqualTo(VoteCount.Verdict.RAISE);
        assertThat(count.isContended()).isTrue();
        VoteCount hopeless = count(3);
        hopeless.answered(0, 100, stale(300));
        hopeless.answered(1, 100, far(50));
        hopeless.answered(2, 100, none());
        assertThat(hopeless.verdict()).isEqualTo(VoteCount.Verdict.FAILED);
        assertThat(hopeless.isContended()).isFalse();
    }
}
