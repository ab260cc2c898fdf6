package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.jdbc.EventfulConnection;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Others come in between two statements of an operation that does not lock the lock's row. */
@Tag("slow")
class WaitingPathTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String PAST = "UPDATE \"leasehold_lock\" SET ends = ends - 60000000";
    private static final String DEAD = "UPDATE \"leasehold_waiter\" SET alive_until = since - 1 WHERE counter = ";

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final RealTime time = new RealTime();
    private final StoreContext context =
            new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals());
    private final ServerSql texts = new ServerSql(new Tables(Product.H2.rules(), null, Tables.PREFIX));
    private final Map<String, EventfulConnection.Event> before = new HashMap<>();
    private final Set<ClaimId> joining = new HashSet<>();
    private Store store;
    private Connection connection;
    private WaitingPath path;
    private long claims;

    @BeforeEach
    void open() throws SQLException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        store = JdbcStore.using(database).open(context);
        connection = DriverManager.getConnection(url);
        path = new WaitingPath(new Sql(eventful(connection)), texts, "", context);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        store.close();
        time.close();
    }

    private Connection eventful(Connection real) {
        return EventfulConnection.of(real, before);
    }

    private void change(String text) throws SQLException {
        try (Connection other = DriverManager.getConnection(url);
                Statement statement = other.createStatement()) {
            assertThat(statement.executeUpdate(text)).isPositive();
        }
    }

    private long number(String query) throws SQLException {
        try (Connection other = DriverManager.getConnection(url);
                Sql sql = new Sql(other)) {
            return sql.number(query);
        }
    }

    private Claim claim(int share, boolean enqueue) {
        return new Claim(new ClaimId("client", ++claims), "lock", share, LEASE, enqueue);
    }

    private LeaseId acquire(int share) {
        return ((ClaimAnswer.Granted) TestClient.get(store.claim(claim(share, false)))).lease();
    }

    private void release(LeaseId lease) {
        assertThat(TestClient.get(store.release(lease, Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
    }

    @Test
    void aJoiningWaiterIsCountedAndHoldsTheReleaseBack() throws Exception {
        LeaseId held = acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        assertThat(path.claim(waits, joining)).isInstanceOfSatisfying(ClaimAnswer.Busy.class, busy -> {
            assertThat(busy.place()).isEqualTo(1);
            assertThat(busy.timeLeft()).isBetween(LEASE.dividedBy(2), LEASE);
        });
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isOne();
        release(held);
        assertThat(number("SELECT handed FROM \"leasehold_lock\""))
                .as("it is handed over")
                .isOne();
        assertThat(TestClient.get(store.claim(waits))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aJoinThatComesAfterTheReleaseFindsThatItIsItsTurn() throws Exception {
        LeaseId held = acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        before.put(texts.countWaiter, () -> release(held));
        assertThat(path.claim(waits, joining)).isNull();
        assertThat(TestClient.get(store.claim(waits))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aJoinThatBrokeOffIsCountedByItsRepetition() throws Exception {
        LeaseId held = acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        before.put(texts.countWaiter, () -> {
            throw new SQLException("cut", "08006");
        });
        assertThatThrownBy(() -> path.claim(waits, joining)).isInstanceOf(SQLException.class);
        assertThat(path.hasJoined()).isTrue();
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isZero();
        assertThat(path.claim(waits, joining)).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isPositive();
        assertThat(joining).isEmpty();
        release(held);
        assertThat(TestClient.get(store.claim(waits))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** The clock may have been set back, or two come in one microsecond. */
    @Test
    void twoThatComeToOnePositionAreToldApart() throws Exception {
        acquire(Claim.EXCLUSIVE);
        assertThat(path.claim(claim(Claim.EXCLUSIVE, true), joining)).isInstanceOf(ClaimAnswer.Busy.class);
        change("UPDATE \"leasehold_waiter\" SET position = " + (1L << 52));
        Claim second = claim(Claim.EXCLUSIVE, true);
        before.clear();
        WaitingPath other = new WaitingPath(new Sql(eventful(connection)), texts, "", context);
        before.put(
                texts.join,
                () -> change("INSERT INTO \"leasehold_waiter\" SELECT namespace, name, position + 1, 'x', 1,"
                        + " owner, since, lease, spare, share, alive_until FROM \"leasehold_waiter\""));
        assertThat(other.claim(second, joining)).isNull();
        assertThat(TestClient.get(store.claim(second)))
                .isInstanceOfSatisfying(
                        ClaimAnswer.Busy.class, busy -> assertThat(busy.place()).isEqualTo(3));
    }

    @Test
    void aWithdrawalHandsOverWhatHasRunOutMeanwhile() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim first = claim(Claim.EXCLUSIVE, true);
        Claim second = claim(Claim.EXCLUSIVE, true);
        path.claim(first, joining);
        path.claim(second, joining);
        before.put(texts.removeWaiter, () -> change(PAST));
        assertThat(path.withdraw("lock", first.id())).isNull();
        TestClient.get(store.withdraw("lock", first.id()));
        assertThat(number("SELECT counter FROM \"leasehold_lock\""))
                .isEqualTo(second.id().counter());
    }

    @Test
    void aWaiterThatWasRemovedMeanwhileIsNotSaidToWait() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        path.claim(waits, joining);
        before.put(texts.hearWaiter, () -> change("DELETE FROM \"leasehold_waiter\""));
        assertThat(path.claim(waits, joining)).isNull();
        before.put(texts.removeWaiter, () -> change("DELETE FROM \"leasehold_waiter\""));
        TestClient.get(store.claim(waits));
        assertThat(path.withdraw("lock", waits.id())).isNull();
    }

    private int place(Claim claim) throws SQLException {
        return ((ClaimAnswer.Busy) Objects.requireNonNull(path.claim(claim, joining))).place();
    }

    /** The second has been told by then that it is the first. */
    @Test
    void aWaiterSilentForTooLongStandsAtTheEnd() throws Exception {
        LeaseId held = acquire(Claim.EXCLUSIVE);
        Claim silent = claim(Claim.EXCLUSIVE, true);
        Claim second = claim(Claim.EXCLUSIVE, true);
        path.claim(silent, joining);
        path.claim(second, joining);
        change(DEAD + silent.id().counter());
        assertThat(place(second)).isEqualTo(1);
        assertThat(place(silent)).isEqualTo(2);
        assertThat(place(second)).isEqualTo(1);
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isEqualTo(2);
        release(held);
        assertThat(number("SELECT counter FROM \"leasehold_lock\""))
                .isEqualTo(second.id().counter());
    }

    @Test
    void aWaiterThatDiesBeforeItIsHeardIsNotBroughtBack() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim silent = claim(Claim.EXCLUSIVE, true);
        Claim second = claim(Claim.EXCLUSIVE, true);
        path.claim(silent, joining);
        path.claim(second, joining);
        before.put(texts.hearWaiter, () -> change(DEAD + silent.id().counter()));
        assertThat(path.claim(silent, joining)).isNull();
        assertThat(place(second)).isEqualTo(1);
        assertThat(TestClient.get(store.claim(silent)))
                .isInstanceOfSatisfying(
                        ClaimAnswer.Busy.class, busy -> assertThat(busy.place()).isEqualTo(2));
    }

    @Test
    void aDeadWaiterThatDoesNotWantToWaitIsToldNoPlace() throws Exception {
        acquire(Claim.EXCLUSIVE);
        path.claim(claim(Claim.EXCLUSIVE, true), joining);
        Claim silent = claim(Claim.EXCLUSIVE, true);
        path.claim(silent, joining);
        change(DEAD + silent.id().counter());
        assertThat(place(new Claim(silent.id(), "lock", Claim.EXCLUSIVE, LEASE, false)))
                .isZero();
    }

    @Test
    @DisplayName("The row of a dead waiter that was removed meanwhile is not moved")
    void aDeadWaitersRemovedRowIsNotMoved() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim silent = claim(Claim.EXCLUSIVE, true);
        path.claim(silent, joining);
        change(DEAD + silent.id().counter());
        before.put(texts.moveWaiter, () -> change("DELETE FROM \"leasehold_waiter\""));
        assertThat(path.claim(silent, joining)).isNull();
        assertThat(place(silent)).isEqualTo(1);
    }

    /** A transaction has read that it is the first, and is about to grant its claim. */
    @Test
    void aWithdrawalDuringAHandOverIsGrantedNothing() throws Exception {
        LeaseId held = acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        path.claim(waits, joining);
        try (Connection own = eventful(DriverManager.getConnection(url));
                Sql sql = new Sql(own)) {
            own.setAutoCommit(false);
            var job = new dev.leasehold.jdbc.protocol.StoreOperation<ReleaseAnswer>(
                    (protocol, now) -> protocol.release(held, Duration.ZERO, now), answer -> {}, true);
            TransactionalPath transactions = new TransactionalPath(texts, "", context, null, null);
            before.put(texts.removeWaiter, () -> change("DELETE FROM \"leasehold_waiter\""));
            assertThatThrownBy(() -> transactions.run(new ServerOperation<>(job, "lock", false), sql))
                    .isInstanceOf(RowReplaced.class);
            own.rollback();
        }
        release(held);
        assertThat(TestClient.get(store.claim(claim(Claim.EXCLUSIVE, false)))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aReleaseThatFindsAnotherHolderLetsGoOfTheRowAtOnce() throws Exception {
        LeaseId past = acquire(Claim.EXCLUSIVE);
        change(PAST);
        acquire(Claim.EXCLUSIVE);
        path.claim(claim(Claim.EXCLUSIVE, true), joining);
        try (Connection own = eventful(DriverManager.getConnection(url));
                Sql sql = new Sql(own)) {
            own.setAutoCommit(false);
            var job = new dev.leasehold.jdbc.protocol.StoreOperation<ReleaseAnswer>(
                    (protocol, now) -> protocol.release(past, Duration.ZERO, now), answer -> {}, true);
            before.put(texts.removeExpired, () -> fail("no second statement while the row is locked"));
            ServerOperation<ReleaseAnswer> operation =
                    new ServerOperation<>(job, "lock", null, null, past.claim(), ReleaseAnswer.NOT_HELD, false, false);
            TransactionalPath.Done<ReleaseAnswer> done =
                    new TransactionalPath(texts, "", context, null, null).run(operation, sql);
            assertThat(Objects.requireNonNull(done).answer()).isEqualTo(ReleaseAnswer.NOT_HELD);
            own.rollback();
        }
    }

    @Test
    void whatIsLeftOfTheCountIsCorrectedByTidying() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        path.claim(waits, joining);
        assertThat(path.withdraw("lock", waits.id())).isTrue();
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isPositive();
        try (Connection own = DriverManager.getConnection(url);
                Sql sql = new Sql(own)) {
            own.setAutoCommit(false);
            TransactionalPath transactions = new TransactionalPath(texts, "", context, null, null);
            var job = new dev.leasehold.jdbc.protocol.StoreOperation<Boolean>(
                    (protocol, now) -> protocol.tidy("lock", now), found -> {}, true);
            transactions.run(new ServerOperation<>(job, "lock", true), sql);
            own.commit();
        }
        assertThat(number("SELECT waiters FROM \"leasehold_lock\"")).isZero();
    }

    @Test
    void aTransactionLetsGoOfARowThatAnotherHas() throws Exception {
        acquire(Claim.EXCLUSIVE);
        Claim waits = claim(Claim.EXCLUSIVE, true);
        try (Connection own = DriverManager.getConnection(url);
                Sql sql = new Sql(own)) {
            own.setAutoCommit(false);
            TransactionalPath transactions = new TransactionalPath(texts, "", context, null, null);
            var job = new dev.leasehold.jdbc.protocol.StoreOperation<ClaimAnswer>(
                    (protocol, now) -> protocol.claim(waits, now), answer -> {}, true);
            ServerOperation<ClaimAnswer> operation =
                    new ServerOperation<>(job, "lock", null, each -> null, waits.id(), null, true, false);
            assertThatThrownBy(() -> transactions.run(operation, sql)).isInstanceOf(RowReplaced.class);
            own.rollback();
        }
    }

    @Test
    void aHolderThatRenewsBeforeItIsRemovedIsAlive() throws Exception {
        LeaseId reader = acquire(Claim.UNLIMITED);
        change("UPDATE \"leasehold_holder\" SET ends = ends - 60000000");
        try (Connection own = eventful(DriverManager.getConnection(url));
                Sql sql = new Sql(own)) {
            own.setAutoCommit(false);
            long micros = sql.number(texts.time);
            TxContext now = new TxContext(new ClockReading(0, 0), "", micros, micros, new ArrayList<>());
            ServerLocks locks = new ServerLocks(sql, texts, "", ServerLocks.lock(sql, texts, "", "lock"), () -> {});
            before.put(
                    texts.removeExpiredHolders,
                    () -> change("UPDATE \"leasehold_holder\" SET ends = ends + 120000000"));
            assertThatThrownBy(() -> locks.find("lock", now)).isInstanceOf(RowReplaced.class);
            own.rollback();
        }
        assertThat(TestClient.get(store.renew(reader, LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    void noSingleStatementTakesALockFromReadersThatGoOn() throws Exception {
        LeaseId reader = acquire(Claim.UNLIMITED);
        change(PAST); // As it is once they have renewed in their own rows.
        assertThat(TestClient.get(store.claim(claim(Claim.EXCLUSIVE, false)))).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(TestClient.get(store.inspect(dev.leasehold.spi.NamePattern.of("lock"))))
                .hasSize(1);
        release(reader);
        assertThat(TestClient.get(store.claim(claim(Claim.EXCLUSIVE, false)))).isInstanceOf(ClaimAnswer.Granted.class);
    }
}
