package dev.leasehold.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.jdbc.FaultyDatabase;
import dev.leasehold.jdbc.FaultyDatabase.Place;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show what a caller learns when a request may have been carried out, and when it certainly was not. */
class UnknownOutcomeTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String BROKEN = "08006";
    private static final String NOBODY_THERE = "08001";

    private final FaultyDatabase database = new FaultyDatabase();
    private final RealTime time = new RealTime();
    private Store store;

    @BeforeEach
    void open() {
        store = JdbcStore.using(database.dataSource())
                .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()));
        get(store.inspect(NamePattern.of("*")));
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return TestClient.get(stage);
    }

    private void withdraw() {
        get(store.withdraw("lock", new ClaimId("client", 1)));
    }

    private void claim() {
        get(store.claim(new Claim(new ClaimId("client", 2), "lock", LEASE, 0, false)));
    }

    private static void assertOutcome(Outcome outcome, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).as(e.getMessage()).isEqualTo(outcome))
                .hasMessageContaining(outcome == Outcome.UNKNOWN ? "may have been" : "certainly not");
    }

    @Test
    @DisplayName("a commit whose answer was cut off is unknown also when there is no connection to ask again")
    void aCommitCutOffIsUnknownWithoutAConnectionToAskAgain() {
        database.fail(Place.COMMIT, FaultyDatabase.error(BROKEN));
        database.fail(Place.CONNECT, FaultyDatabase.error(NOBODY_THERE));
        assertOutcome(Outcome.UNKNOWN, this::withdraw);
    }

    @Test
    void aCommitCutOffIsUnknownWhenTheDatabaseThenRefuses() {
        database.fail(Place.COMMIT, FaultyDatabase.error(BROKEN));
        database.fail(Place.CONNECT, FaultyDatabase.error("28P01"));
        assertOutcome(Outcome.UNKNOWN, this::withdraw);
        database.fail(Place.COMMIT, FaultyDatabase.error(BROKEN));
        database.fail(Place.PREPARE, FaultyDatabase.error("42501"));
        assertOutcome(Outcome.UNKNOWN, this::withdraw);
    }

    /** The server says that it does not know what has come of the statement. */
    @ParameterizedTest
    @ValueSource(strings = {"40003", "08007"})
    @DisplayName("A statement whose completion the server does not know is unknown")
    void aStatementOfUnknownCompletionIsUnknown(String state) {
        database.fail(Place.PREPARE, FaultyDatabase.error(state));
        assertOutcome(Outcome.UNKNOWN, this::claim);
        for (Dialect dialect :
                new Dialect[] {Product.POSTGRESQL.rules(), Product.MARIADB.rules(), Product.H2.rules()}) {
            assertThat(dialect.isRetryable(FaultyDatabase.error(state)))
                    .as(dialect.schema())
                    .isFalse();
        }
        assertThat(Sql.isBroken(FaultyDatabase.error(state))).isTrue();
    }

    /** A driver's own error, or a server's that has no word for it. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"HY000", "XX000", "58030"})
    void anErrorThatSaysNothingOfACommitLeavesItUnknown(String state) {
        database.fail(Place.COMMIT, new SQLException("made by the test", state));
        assertOutcome(Outcome.UNKNOWN, () -> get(store.breakLease("lock", 1)));
        database.fail(Place.COMMIT, new SQLException("made by the test", state));
        withdraw(); // It can be repeated.
        assertThat(database.hasFailed()).isTrue();
    }

    /** A pool may not see for itself that it is of no use. */
    @Test
    void aBrokenConnectionIsNotGivenBackToItsPool() {
        database.fail(Place.PREPARE, FaultyDatabase.error(BROKEN));
        withdraw();
        assertThat(database.spoilt()).isEqualTo(1);
    }

    @Test
    void anUnexpectedErrorInACommitLeavesItUnknown() {
        database.fail(Place.COMMIT, new OutOfMemoryError("made by the test"));
        assertOutcome(Outcome.UNKNOWN, this::withdraw);
    }

    @Test
    @DisplayName("A claim that the database has undone is certainly not granted, also if it cannot be repeated")
    void whatIsUndoneIsCertainWithoutAConnectionToRepeatIt() {
        database.fail(Place.PREPARE, new SQLException("made by the test", "40001", 40001));
        database.fail(Place.CONNECT, FaultyDatabase.error(NOBODY_THERE));
        assertOutcome(Outcome.NOT_CARRIED_OUT, this::claim);
    }

    @Test
    @DisplayName("A statement that the database refuses is certainly not carried out")
    void aRefusedStatementIsNotCarriedOut() {
        database.fail(Place.PREPARE, FaultyDatabase.error("42501"));
        assertThatThrownBy(this::claim)
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing was changed");
    }

    /** The answer is cut off, and the engine sends the claim again. */
    @Test
    void aPermitWhoseAnswerIsLostIsGrantedOnce() {
        database.fail(Place.COMMIT, FaultyDatabase.error(BROKEN));
        Claim claim = new Claim(new ClaimId("client", 3), "lock", 3, LEASE, false);
        assertOutcome(Outcome.UNKNOWN, () -> get(store.claim(claim)));
        ClaimAnswer.Granted granted = (ClaimAnswer.Granted) get(store.claim(claim));
        assertThat(granted.slot()).isZero();
        assertThat(get(store.inspect(NamePattern.of("lock"))).get(0).holders())
                .extracting(HolderInfo::token)
                .containsExactly(granted.lease().token());
    }
}
