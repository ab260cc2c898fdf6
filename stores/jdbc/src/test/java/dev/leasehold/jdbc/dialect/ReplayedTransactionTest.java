package dev.leasehold.jdbc.dialect;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRows.Grantee;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.server.RowReplaced;
import dev.leasehold.jdbc.server.ServerLocks;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A driver or a pooler carries a transaction out again that was cut, after others have had the lock. */
@Tag("slow")
class ReplayedTransactionTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    enum Server {
        MARIADB,
        POSTGRESQL,
        H2;

        String url() {
            return switch (this) {
                case MARIADB -> ReplayedTransactionTest.MARIADB.get().url();
                case POSTGRESQL -> POSTGRES.get().url();
                case H2 -> "jdbc:h2:mem:replay;DB_CLOSE_DELAY=-1";
            };
        }
    }

    /** One connection, whose transaction has locked the row of the lock and read it. */
    private final class Work implements AutoCloseable {

        private final ServerSql texts;
        private final Connection connection;
        private final Sql sql;
        private final Object namespace;
        private final TxContext now;
        private ServerLocks locks;
        private LockRow row;

        Work(Server server) throws SQLException {
            Dialect dialect = Product.valueOf(server.name()).rules();
            texts = new ServerSql(new Tables(dialect, null, Tables.PREFIX));
            connection = DriverManager.getConnection(server.url());
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            sql = new Sql(connection);
            namespace = dialect.name("");
            long micros = sql.number(texts.time);
            now = new TxContext(new ClockReading(0, 0), "", micros, micros, new ArrayList<>());
            locks = lock();
            row = locks.find(name, now);
        }

        ServerLocks lock() throws SQLException {
            return new ServerLocks(
                    sql,
                    texts,
                    namespace,
                    ServerLocks.lock(sql, texts, namespace, texts.dialect().name(name)),
                    () -> {});
        }

        LockRow.StoredLease grant(String client) throws SQLException {
            return grant(client, Claim.EXCLUSIVE);
        }

        LockRow.StoredLease grant(String client, int share) throws SQLException {
            int slot = Claim.hasSlots(share) ? row.holders().all().size() : dev.leasehold.spi.Grant.NO_SLOT;
            return locks.grant(row, new Grantee(new ClaimId(client, 1), client, MINUTE, 0, share, slot, false), now);
        }

        /** The transaction is cut, others have the lock, and it is carried out again from its beginning. */
        void replay(Server server, String successor) throws SQLException {
            connection.rollback();
            try (Work other = new Work(server)) {
                other.grant(successor);
                other.connection.commit();
            }
            assertThat(lock()).isNotNull();
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    private static void makeTables(Server server, String lock) throws InterruptedException {
        try (Leasehold leasehold = Leasehold.connect(server.url())) {
            leasehold.lock(lock).acquire().close();
        }
    }

    private static LockInfo seen(Server server, String lock) throws InterruptedException {
        try (Leasehold leasehold = Leasehold.connect(server.url())) {
            return leasehold.locks(lock).get(0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aGrantIsNotWrittenOverASuccessor(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            work.replay(server, "successor");
            assertThatThrownBy(() -> work.grant("replayed")).isInstanceOf(RowReplaced.class);
        }
        assertThat(seen(server, name).holder().owner()).isEqualTo("successor");
    }

    @ParameterizedTest
    @EnumSource
    void anExtensionIsNotWrittenOverASuccessor(Server server) throws Exception {
        makeTables(server, name);
        LockRow.StoredLease held;
        try (Work before = new Work(server)) {
            held = before.grant("holder");
            before.connection.commit();
        }
        try (Work work = new Work(server)) {
            work.replay(server, "successor");
            assertThatThrownBy(() -> work.locks.extend(work.row, held, MINUTE.multipliedBy(100), work.now))
                    .isInstanceOf(RowReplaced.class);
        }
        LockInfo seen = seen(server, name);
        assertThat(seen.holder().owner()).isEqualTo("successor");
        assertThat(seen.holder().timeLeft()).isLessThan(MINUTE.multipliedBy(2));
    }

    @ParameterizedTest
    @EnumSource
    void aReleaseIsNotWrittenOverASuccessor(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            work.replay(server, "successor");
            assertThatThrownBy(() -> work.locks.free(work.row, work.now)).isInstanceOf(RowReplaced.class);
        }
        assertThat(seen(server, name).holder().owner()).isEqualTo("successor");
    }

    @ParameterizedTest
    @EnumSource
    void aSharedGrantIsNotWrittenOverASuccessor(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            work.replay(server, "successor");
            assertThatThrownBy(() -> work.grant("replayed", 3)).isInstanceOf(RowReplaced.class);
        }
        assertThat(seen(server, name).holders()).extracting(HolderInfo::owner).containsExactly("successor");
    }

    /** Whatever the driver makes of it: the statement itself adds nobody beside a row that is not the one written before. */
    @ParameterizedTest
    @EnumSource
    void aReplayedHolderIsNotAddedBesideOthers(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            LockRow.StoredLease first = work.grant("first", 2);
            work.connection.commit();
            assertThat(seen(server, name).holders())
                    .extracting(HolderInfo::token)
                    .containsExactly(first.token());
            long before = first.token() - 1;
            Object lock = work.texts.dialect().name(name);
            assertThat(work.sql.change(
                            work.texts.addHolder,
                            before,
                            "late",
                            1L,
                            "late",
                            before,
                            2L,
                            1L,
                            0L,
                            Long.MAX_VALUE,
                            work.namespace,
                            lock,
                            before,
                            before))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHolderThatIsGoneIsNotExtended(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            LockRow.StoredLease held = work.grant("holder", 2);
            work.connection.commit();
            work.locks = work.lock();
            LockRow row = work.locks.find(name, work.now);
            Object lock = work.texts.dialect().name(name);
            work.sql.change(work.texts.removeHolder, work.namespace, lock, held.token());
            assertThatThrownBy(() -> work.locks.extend(row, held, MINUTE.multipliedBy(100), work.now))
                    .isInstanceOf(RowReplaced.class);
        }
    }

    /** Otherwise a renewal extends a lease while a transaction decides by what it has read, or waits until that is over. */
    @ParameterizedTest
    @EnumSource
    void aRenewalSkipsTheRowOfATransactionAndNoOther(Server server) throws Exception {
        String other = name + " beside";
        makeTables(server, name);
        makeTables(server, other);
        try (Connection beside = DriverManager.getConnection(server.url());
                Sql sql = new Sql(beside)) {
            beside.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            try (Work work = new Work(server)) {
                assertThat(lockedRows(sql, work, other)).containsExactly(other);
            }
            try (Work elsewhere = new Work(server)) {
                elsewhere.connection.rollback();
                assertThat(lockedRows(sql, elsewhere, other)).containsExactlyInAnyOrder(name, other);
            }
        }
    }

    /**
     * Otherwise a transaction that has waited for a row decides by a time before its wait. H2 has one time for each
     * transaction, that of its first statement that asks for it; there this is the one that locks the row.
     */
    @ParameterizedTest
    @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
    void theTimeIsThatOfTheStatement(Server server) throws Exception {
        makeTables(server, name);
        try (Work work = new Work(server)) {
            long begun = work.sql.number(work.texts.time);
            await().until(() -> work.sql.number(work.texts.time) > begun + 1_000);
            Object lock = work.texts.dialect().name(name);
            long locked = work.sql.first(work.texts.lockRow, row -> row.getLong(10), work.namespace, lock);
            assertThat(locked).isGreaterThan(begun + 1_000);
        }
    }

    private List<String> lockedRows(Sql sql, Work work, String other) throws SQLException {
        Dialect dialect = work.texts.dialect();
        List<String> names = List.of(name, other);
        return sql.all(
                work.texts.lockRows(ServerSql.roundedUp(names.size())),
                row -> dialect.name(row, 1),
                work.texts.values(names, work.namespace));
    }

    @Test
    void theDriversOptionForItIsRefused() throws Exception {
        String url = MARIADB.get().url();
        String replaying = url + (url.contains("?") ? "&" : "?") + "transactionReplay=true";
        try (Leasehold leasehold = Leasehold.connect(replaying)) {
            assertThatThrownBy(() -> leasehold.lock(name).tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("transactionReplay");
        }
        try (Leasehold leasehold = Leasehold.connect(replaying.replace("=true", "=false"))) {
            try (Lease lease = leasehold.lock(name).acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }
}
