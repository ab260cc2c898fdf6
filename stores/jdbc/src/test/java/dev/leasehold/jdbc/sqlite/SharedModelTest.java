package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.jdbc.JdbcStoreProvider;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testtools.SharedModel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stores in databases and the one in memory give the same answers to the same random operations with all kinds of shares.
 * Time is virtual; the database on a server has its own, and there what is written is moved instead: back where time is to
 * pass, forth by the time that the steps themselves have taken, which on a busy machine is longer than a waiter lives.
 */
@Tag("slow")
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedModelTest {

    @TempDir
    Path directory;

    /** A FileSubject is an SQLite file that lives by the model's time. */
    private record FileSubject(SqliteFactory factory) implements SharedModel.Subject {

        @Override
        public Store open(StoreContext context) {
            return factory.open(context, new ModelClock(context.time()));
        }

        @Override
        public void advance(Duration by) {}
    }

    private record ModelClock(TimeSource time) implements ExpiryClock {

        @Override
        public String boot() {
            return "virtual";
        }

        @Override
        public long micros() {
            return time.nanos() / 1_000;
        }

        @Override
        public long wallMicros() {
            return time.now().wallMicros();
        }
    }

    @Test
    void aFileAnswersLikeTheModel() throws Exception {
        for (long seed = 1; seed <= 60; seed++) {
            SharedModel.play(seed, new FileSubject(new SqliteFactory(directory.resolve("locks" + seed + ".db"))));
        }
    }

    @Test
    void aServerAnswersLikeTheModel() throws Exception {
        for (long seed = 1; seed <= 40; seed++) {
            String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            // The first connection loads the database, which on a busy machine takes longer than a pool waits.
            try (Connection first = DriverManager.getConnection(url)) {
                assertThat(first.isValid(1)).isTrue();
                SharedModel.play(seed, new ServerSubject(url));
            }
        }
    }

    /** A ServerSubject is a database with a time of its own, in which what is written is moved instead. */
    private static final class ServerSubject implements SharedModel.Subject {

        private static final String NOW =
                "DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00:00', CURRENT_TIMESTAMP(6))";

        private static final long LITTLE = 200_000;

        private final StoreFactory factory;
        private final String url;
        private long heldAt = System.nanoTime();

        ServerSubject(String url) {
            this.factory = new JdbcStoreProvider().create(StoreUri.parse(url));
            this.url = url;
        }

        @Override
        public Store open(StoreContext context) {
            return factory.open(context);
        }

        /** Makes all that is written end earlier, as if time had passed. */
        @Override
        public void advance(Duration by) throws SQLException {
            move(-by.toNanos() / 1_000, "");
        }

        /** Undoes what has passed by itself; an end that has passed stays passed. */
        @Override
        public void check(List<HolderInfo> holders, String log) throws SQLException {
            long now = System.nanoTime();
            long passed = (now - heldAt) / 1_000;
            if (passed < LITTLE) {
                return;
            }
            heldAt = now;
            move(passed, " WHERE $ > " + NOW);
        }

        private void move(long micros, String which) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                for (String column : List.of("lock.ends", "holder.ends", "waiter.alive_until")) {
                    String name = column.substring(column.indexOf('.') + 1);
                    statement.execute("UPDATE \"leasehold_" + column.substring(0, column.indexOf('.')) + "\" SET "
                            + name + " = " + name + " + " + micros + which.replace("$", name));
                }
            }
        }
    }
}
