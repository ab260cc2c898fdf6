package dev.leasehold.redis.voter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SecurityTest;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.node.Inbox;
import dev.leasehold.redis.node.NodeListener;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.MasterIdentityTest;
import dev.leasehold.redis.quorum.Vote;
import dev.leasehold.redis.quorum.VouchingMasterTest;
import dev.leasehold.redis.script.EncodedArgs;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.Script;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A client asks for some vouchers, and names them, and does neither with others. What they are worth on a server is for
 * {@link VouchingMasterTest} and {@link MasterIdentityTest}.
 */
class VoucherTest {

    private static final MarkerRules RULES = new MarkerRules(Duration.ofMinutes(1), false, KeyNames.ROOT);
    private static final String ALL = "leasehold:quorum:voucher:" + "*";

    private final ShiftedTime time = new ShiftedTime();
    private final OwnClient own = new OwnClient(Duration.ofSeconds(10), Tls.OF_THE_JVM);

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private RedisVoter voter;
    private int attempts;

    /** The real time, but for what the test lets pass at once. */
    private static final class ShiftedTime implements TimeSource {
        private final RealTime real = new RealTime();
        private volatile long ahead;

        @Override
        public ClockReading now() {
            ClockReading now = real.now();
            return new ClockReading(now.nanos() + ahead, now.wallMicros());
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return real.schedule(delay, task);
        }
    }

    private static final class Unheard implements NodeListener {
        @Override
        public void granted(Grant grant, @Nullable Validity validity) {}

        @Override
        public void doubt(@Nullable String lock) {}
    }

    @BeforeEach
    void connect() {
        redis.get()
                .commands()
                .eval(
                        Script.OPEN_QUORUM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {"leasehold:quorum"},
                        RULES.text());
        RedisURI uri = RedisURI.create(redis.get().uri());
        Connector connector = new UriConnector(own.client(), uri, RedisUris.name(uri));
        KeyNames names = KeyNames.of(KeyNames.ROOT, "");
        NodeListener listener = new Unheard();
        StoreContext context = new StoreContext("me", "me", "", time, Duration.ofMinutes(1), new NoSignals());
        Inbox inbox = new Inbox(connector, context, names, false, listener);
        RedisNode node = new RedisNode(connector, context, RedisSettings.DEFAULTS, names, inbox, true, listener);
        voter = new RedisVoter(node, new BallotEncoder("me", RULES), RULES);
        get(voter.look());
    }

    @AfterEach
    void stop() {
        voter.close();
        own.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    /** Asks for the lock so much ahead of the clock of the master, and gives it back. */
    private Vote vote(Duration ahead) {
        long token = System.currentTimeMillis() * 1000 + ++attempts + ahead.toMillis() * 1000;
        ClaimId attempt = new ClaimId("me", attempts);
        Vote vote =
                get(voter.vote(new Ballot("x", attempt, false, token, 0, Duration.ofSeconds(10), Ballot.Kind.CLAIM)));
        get(voter.withdraw("x", attempt));
        return vote;
    }

    /** The master keeps it until the test is over; so what is seen is the client's doing. */
    private void firstVoteIsVouchedFor() {
        assertThat(vote(Duration.ZERO)).isInstanceOf(Vote.Yes.class);
        assertThat(redis.get().commands().persist(vouchers().get(0))).isTrue();
    }

    private List<String> vouchers() {
        return redis.get().commands().keys(ALL);
    }

    private boolean wasVouchedFor(Vote vote) {
        assertThat(vote).isInstanceOf(Vote.Yes.class);
        return !((Vote.Yes) vote).validity().sentAt().equals(vote.status().sentAt());
    }

    @Test
    void aVoucherIsNamedForASecondAndThenAnotherIsAskedFor() {
        firstVoteIsVouchedFor();
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isTrue();
        time.ahead = 1_000_000_000;
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        assertThat(vouchers()).hasSize(2);
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isTrue();
        assertThat(vouchers()).hasSize(2);
    }

    /** The first answer may be lost; then nobody has compared a proposal with what it says. */
    @Test
    void aVoucherIsNotNamedBeforeItsAnswer() {
        redis.get().commands().clientPause(300);
        CompletionStage<Vote> first = voter.vote(ballot("x"));
        CompletionStage<Vote> second = voter.vote(ballot("y"));
        assertThat(get(first)).isInstanceOf(Vote.Yes.class);
        assertThat(get(second)).isInstanceOf(Vote.Yes.class);
        assertThat(vouchers()).hasSize(2);
    }

    private Ballot ballot(String lock) {
        long token = System.currentTimeMillis() * 1000 + ++attempts;
        ClaimId attempt = new ClaimId("me", attempts);
        return new Ballot(lock, attempt, false, token, 0, Duration.ofSeconds(10), Ballot.Kind.CLAIM);
    }

    @Test
    void aProposalBeyondItsBoundsNamesNone() {
        firstVoteIsVouchedFor();
        assertThat(vote(Duration.ofSeconds(31))).isInstanceOf(Vote.TooFar.class);
        assertThat(vote(Duration.ofSeconds(-100))).isInstanceOf(Vote.Stale.class);
        assertThat(wasVouchedFor(vote(Duration.ofSeconds(16)))).isFalse();
        assertThat(vouchers()).hasSize(1);
        redis.get().commands().del("leasehold:{x}:token");
        assertThat(wasVouchedFor(vote(Duration.ofSeconds(14)))).isTrue();
    }

    @Test
    void aMasterThatHasForgottenItsVoucherIsAskedInFull() {
        firstVoteIsVouchedFor();
        redis.get().commands().del(vouchers().get(0));
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isTrue();
    }

    @Test
    void aMasterThatDoesNotVouchIsAskedAgainAfterASecond() {
        SecurityTest.setUser(redis.get(), "default -object");
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        SecurityTest.setUser(redis.get(), "default +object");
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        assertThat(vouchers()).isEmpty();
        time.ahead = 1_000_000_000;
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        assertThat(vouchers()).hasSize(1);
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isTrue();
    }

    /** It stands, so it was not made anew; that is no refusal. */
    @Test
    void aVoucherIsStillNamedAfterABallotInFull() {
        firstVoteIsVouchedFor();
        redis.get().commands().set("leasehold:{x}:token", "1");
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isFalse();
        assertThat(wasVouchedFor(vote(Duration.ZERO))).isTrue();
        assertThat(vouchers()).hasSize(1);
    }

    @Test
    void nobodyVouchesOnAfterAFlush() {
        firstVoteIsVouchedFor();
        redis.get().commands().flushall();
        assertThat(vote(Duration.ZERO)).isInstanceOf(Vote.NoVote.class);
    }

    @Test
    void theBoundsAreThoseOfTheMastersClock() {
        long now = 1_700_000_000_000_000L;
        ClockReading asked = new ClockReading(5, 0);
        Voucher voucher = Voucher.of(EncodedArgs.of(RULES.vouchers()), RULES, asked, now);
        assertThat(voucher.suits(ballot(now - 29_000_000, 0))).isFalse();
        assertThat(voucher.suits(ballot(now - 29_000_000 + 1, 0))).isTrue();
        assertThat(voucher.suits(ballot(now + 15_000_000, 0))).isTrue();
        assertThat(voucher.suits(ballot(now + 15_000_000 - 5, 5))).isTrue();
        assertThat(voucher.suits(ballot(now + 15_000_000 - 5, 6))).isFalse();
        assertThat(voucher.isFresh(1_000_000_004)).isTrue();
        assertThat(voucher.isFresh(1_000_000_005)).isFalse();
        // Sixteen digits, neither fewer nor more.
        Voucher early = Voucher.of(EncodedArgs.of(RULES.vouchers()), RULES, asked, 1_000_000_000_000_010L);
        assertThat(early.suits(ballot(999_999_999_999_999L, 0))).isFalse();
        Voucher late = Voucher.of(EncodedArgs.of(RULES.vouchers()), RULES, asked, 9_999_999_999_999_990L);
        assertThat(late.suits(ballot(9_999_999_999_999_999L, 0))).isTrue();
        assertThat(late.suits(ballot(9_999_999_999_999_999L, 1))).isFalse();
    }

    private static Ballot ballot(long token, int spare) {
        return new Ballot("x", new ClaimId("me", 1), false, token, spare, Duration.ofSeconds(10), Ballot.Kind.CLAIM);
    }
}
