package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show what a fence owes in every database and at every isolation level. The resource is a number. */
public abstract class FenceContract {

    private static final int RC = Connection.TRANSACTION_READ_COMMITTED;
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "account " + NAMES.incrementAndGet();
    private final Account account = new Account(name);

    public abstract String url();

    public abstract JdbcFence fence();

    /** All levels that the database has. */
    List<Integer> levels() {
        return List.of(RC, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE);
    }

    /** The levels at which a plain read neither sees what has come since nor holds anybody up. */
    public List<Integer> levelsWithAView() {
        return List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE);
    }

    DataSource dataSource() {
        return new DataSourceOf(url());
    }

    @BeforeEach
    void makeTables() throws SQLException {
        fence().createTable(dataSource());
        try (Connection connection = DriverManager.getConnection(url())) {
            account.make(connection);
        }
    }

    Connection begin(int level) throws SQLException {
        Connection connection = DriverManager.getConnection(url());
        if (levels().size() > 1) {
            connection.setTransactionIsolation(level);
        }
        connection.setAutoCommit(false);
        return connection;
    }

    /** Forgets in auto-commit mode. */
    private void forget() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url())) {
            fence().reset(connection, name);
        }
    }

    private Connection begin() throws SQLException {
        return begin(levels().get(0));
    }

    /** Returns whether every database may say so to a transaction above READ COMMITTED, and SQLite to any. */
    static boolean mayBeRunAgain(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("40") || (e.getErrorCode() & 0xff) == 5;
    }

    private interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    private <T> T committed(int level, long token, Work<T> work) throws SQLException {
        try (Connection connection = begin(level)) {
            return committed(connection, token, work);
        }
    }

    /** Runs work as an application would: again and again, until it is committed. */
    private <T> T committed(Connection connection, long token, Work<T> work) throws SQLException {
        while (true) {
            try {
                fence().register(connection, name, token);
                T answer = work.in(connection);
                connection.commit();
                return answer;
            } catch (SQLException e) {
                connection.rollback();
                if (!mayBeRunAgain(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static <T> CompletableFuture<T> elsewhere(java.util.concurrent.Callable<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task, "elsewhere").start());
    }

    @Test
    void anOlderTokenIsRefusedWithBoth() throws Exception {
        for (int level : levels()) {
            forget();
            committed(level, 7, connection -> null);
            committed(level, 7, connection -> null);
            committed(level, Long.MAX_VALUE, connection -> null);
            assertThatThrownBy(() -> committed(level, 7, connection -> null))
                    .isInstanceOfSatisfying(StaleTokenException.class, e -> {
                        assertThat(e.token()).isEqualTo(7);
                        assertThat(e.newest()).isEqualTo(Long.MAX_VALUE);
                    })
                    .hasMessageContaining("'" + name + "'");
            forget();
            committed(level, 0, connection -> null);
        }
    }

    @Test
    void aRefusalLeavesTheTransactionAsItWas() throws Exception {
        committed(levels().get(0), 2, connection -> null);
        try (Connection connection = begin()) {
            account.setBalance(connection, 5);
            assertThatThrownBy(() -> fence().register(connection, name, 1)).isInstanceOf(StaleTokenException.class);
            assertThat(account.balance(connection)).isEqualTo(5);
            connection.rollback();
            assertThat(account.balance(connection)).isZero();
            connection.rollback();
        }
    }

    @Test
    void whatIsRolledBackIsNotRegistered() throws Exception {
        try (Connection connection = begin()) {
            fence().register(connection, name, 9);
            fence().register(connection, name, 9);
            connection.rollback();
        }
        committed(levels().get(0), 1, connection -> null);
        try (Connection connection = begin()) {
            fence().register(connection, name, 9);
            connection.rollback();
        }
        committed(levels().get(0), 2, connection -> null);
    }

    @Test
    void withoutATransactionItIsRefused() throws Exception {
        try (Connection connection = DriverManager.getConnection(url())) {
            assertThatThrownBy(() -> fence().register(connection, name, 9))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("auto-commit")
                    .hasMessageContaining("setAutoCommit(false)");
        }
        committed(levels().get(0), 1, connection -> null);
    }

    @Test
    void badInputIsRefused() throws Exception {
        try (Connection connection = begin()) {
            for (String bad : List.of("", "a\0b", "x".repeat(513), "ü".repeat(257), "\ud800")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> fence().register(connection, bad, 1))
                        .withMessageContaining("the resource's name");
                assertThatIllegalArgumentException().isThrownBy(() -> fence().reset(connection, bad));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fence().register(connection, name, -1))
                    .withMessageContaining("not negative");
            assertThatIllegalArgumentException().isThrownBy(() -> fence().withTables("a\"; --"));
            assertThatIllegalArgumentException().isThrownBy(() -> fence().withSchema("a.b"));
            fence().register(connection, "ü".repeat(256), 1);
            connection.rollback();
        }
    }

    @Test
    void namesAreDataAndDifferIfTheirBytesDo() throws Exception {
        List<String> names = List.of("n", "N", "n ", "ñ", "n\u0303", "'; DROP TABLE account; --", "%", "n\n");
        try (Connection connection = begin()) {
            for (int i = 0; i < names.size(); i++) {
                fence().register(connection, names.get(i), 100 - i);
            }
            connection.commit();
            for (int i = 0; i < names.size(); i++) {
                String each = names.get(i);
                int token = 99 - i;
                assertThatThrownBy(() -> fence().register(connection, each, token))
                        .isInstanceOfSatisfying(
                                StaleTokenException.class,
                                e -> assertThat(e.newest()).isEqualTo(token + 1));
            }
            connection.rollback();
        }
    }

    @Test
    @DisplayName("A missing table is named and never made in the caller's transaction")
    void aMissingTableIsNamedAndNotMade() throws Exception {
        JdbcFence other = fence().withTables("other" + NAMES.incrementAndGet() + "_");
        try (Connection connection = begin()) {
            account.setBalance(connection, 5);
            assertThatThrownBy(() -> other.register(connection, name, 1))
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("_fence")
                    .hasMessageContaining("CREATE TABLE IF NOT EXISTS")
                    .hasMessageContaining("createTable");
            connection.rollback();
            assertThat(account.balance(connection)).as("nothing was committed").isZero();
            connection.rollback();
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(elsewhere(() -> {
                other.createTable(dataSource());
                return null;
            }));
        }
        for (CompletableFuture<Void> each : all) {
            each.get(A_MINUTE, TimeUnit.SECONDS);
        }
        try (Connection connection = begin()) {
            other.register(connection, name, 1);
            connection.commit();
        }
    }

    /** Holder 1 is paused between its registration and its commit; its successor must wait, and see what it commits. */
    @Test
    void aSuccessorWaitsAndSeesWhatIsCommitted() throws Exception {
        for (int level : levels()) {
            for (boolean commits : List.of(true, false)) {
                forget();
                try (Connection paused = begin(level)) {
                    fence().register(paused, name, 1);
                    long seen = account.balance(paused);
                    CompletableFuture<Long> successor = elsewhere(() -> committed(level, 2, connection -> {
                        long before = account.balance(connection);
                        account.setBalance(connection, before + 1);
                        return before;
                    }));
                    assertThatCode(() -> successor.get(300, TimeUnit.MILLISECONDS))
                            .isInstanceOf(TimeoutException.class);
                    account.setBalance(paused, seen + 10);
                    if (commits) {
                        paused.commit();
                    } else {
                        paused.rollback();
                    }
                    assertThat(successor.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(commits ? seen + 10 : seen);
                    assertThatThrownBy(() -> fence().register(paused, name, 1)).isInstanceOf(StaleTokenException.class);
                    paused.rollback();
                }
            }
        }
    }

    /** The mistake that loses updates where it is not noticed: to read, and then to register. */
    @Test
    @DisplayName("A transaction that has read before another one registered is not let on")
    void aTransactionThatReadTooEarlyIsNotLetOn() throws Exception {
        for (int level : levelsWithAView()) {
            for (int registered : List.of(0, 1, 2)) {
                forget();
                if (registered > 0) {
                    committed(level, registered, connection -> null);
                }
                try (Connection late = begin(level)) {
                    account.balance(late);
                    committed(level, 2, connection -> {
                        account.setBalance(connection, account.balance(connection) + 1);
                        return null;
                    });
                    assertThatThrownBy(() -> fence().register(late, name, 2))
                            .as("level " + level + " after " + registered)
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    e -> assertThat(mayBeRunAgain(e))
                                            .as(e.toString())
                                            .isTrue());
                    late.rollback();
                    fence().register(late, name, 2);
                    late.commit();
                }
            }
        }
    }

    @Test
    void firstRegistrationsAtOnceAreOneAfterTheOther() throws Exception {
        for (int level : levels()) {
            List<Connection> three = List.of(begin(level), begin(level), begin(level));
            for (int i = 0; i < 10; i++) {
                forget();
                CountDownLatch start = new CountDownLatch(three.size());
                List<CompletableFuture<Boolean>> all = new ArrayList<>();
                for (int token = 1; token <= three.size(); token++) {
                    long own = token;
                    all.add(elsewhere(() -> {
                        start.countDown();
                        start.await();
                        return addOne(three.get((int) own - 1), own);
                    }));
                }
                for (CompletableFuture<Boolean> each : all) {
                    each.get(A_MINUTE, TimeUnit.SECONDS);
                }
                assertThat(all.get(2).get()).as("the newest").isTrue();
                assertThatThrownBy(() -> committed(three.get(0), 2, connection -> null))
                        .isInstanceOfSatisfying(
                                StaleTokenException.class,
                                e -> assertThat(e.newest()).isEqualTo(3));
            }
            for (Connection connection : three) {
                connection.close();
            }
        }
    }

    /** Holders that believe to hold the lock at the same time, all of them: whatever is committed is counted. */
    @Test
    void nothingThatWasCommittedIsLostAmongManyHolders() throws Exception {
        for (int level : levels()) {
            AtomicLong tokens = new AtomicLong(NAMES.incrementAndGet() * 1_000L);
            AtomicInteger done = new AtomicInteger();
            long before;
            try (Connection connection = DriverManager.getConnection(url())) {
                before = account.balance(connection);
            }
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(elsewhere(() -> {
                    try (Connection own = begin(level)) {
                        for (int times = 0; times < 25; times++) {
                            if (addOne(own, tokens.incrementAndGet())) {
                                done.incrementAndGet();
                            }
                        }
                    }
                    return null;
                }));
            }
            for (CompletableFuture<Void> each : all) {
                each.get(A_MINUTE, TimeUnit.SECONDS);
            }
            try (Connection connection = DriverManager.getConnection(url())) {
                assertThat(account.balance(connection)).as("level " + level).isEqualTo(before + done.get());
            }
        }
    }

    /** Adds one, and returns whether the token was let in. */
    private boolean addOne(Connection own, long token) throws SQLException {
        try {
            return committed(own, token, connection -> {
                account.setBalance(connection, account.balance(connection) + 1);
                return true;
            });
        } catch (StaleTokenException e) {
            return false;
        }
    }

    @Test
    void aTableThatIsThereNeedsNoRightToMakeIt() {
        assertThatCode(() -> fence().createTable(dataSource())).doesNotThrowAnyException();
    }
}
