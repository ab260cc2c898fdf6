package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.H2Dialect;
import dev.leasehold.jdbc.dialect.PostgresDialect;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testkit.NoSignals;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** These tests show when a caller's thread may carry its request out: never where it could be held up. */
class CallerRunsPolicyTest {

    private static final Dialect POSTGRES = new PostgresDialect();

    private final StillClock clock = new StillClock();
    private final Ready source = new Ready();
    private final CallerRunsPolicy policy = policy(Duration.ofSeconds(10));

    private CallerRunsPolicy policy(Duration storeTimeout) {
        return new CallerRunsPolicy(
                new StoreContext("client", "owner", "", clock, storeTimeout, new NoSignals()), source);
    }

    @Test
    void onlyWhileTheDatabaseIsHeard() {
        assertThat(policy.isAllowed(POSTGRES)).isFalse();
        policy.heard(clock.nanos());
        assertThat(policy.isAllowed(POSTGRES)).isTrue();
        clock.advance(49);
        assertThat(policy.isAllowed(POSTGRES)).isTrue();
        clock.advance(1);
        assertThat(policy.isAllowed(POSTGRES)).isFalse();
    }

    @Test
    void notForSomeSecondsAfterASlowAnswer() {
        long askedAt = clock.nanos();
        clock.advance(101);
        policy.heard(askedAt);
        notForSomeSeconds();
    }

    @Test
    void notForSomeSecondsAfterAFailure() {
        policy.failed();
        notForSomeSeconds();
    }

    private void notForSomeSeconds() {
        clock.advance(4_899);
        policy.heard(clock.nanos());
        assertThat(policy.isAllowed(POSTGRES)).isFalse();
        clock.advance(101);
        policy.heard(clock.nanos());
        assertThat(policy.isAllowed(POSTGRES)).isTrue();
    }

    @Test
    void notWithAnEmptyPool() {
        policy.heard(clock.nanos());
        source.ready = false;
        assertThat(policy.isAllowed(POSTGRES)).isFalse();
    }

    @Test
    void notWhenInterruptedAndTheFlagStays() {
        policy.heard(clock.nanos());
        Thread.currentThread().interrupt();
        assertThat(policy.isAllowed(POSTGRES)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** An interrupt closes the file of embedded H2. */
    @Test
    void notForH2() {
        policy.heard(clock.nanos());
        assertThat(policy.isAllowed(new H2Dialect())).isFalse();
    }

    @Test
    void notWhereTheStoreHasToAnswerSooner() {
        CallerRunsPolicy hurried = policy(Duration.ofMillis(999));
        hurried.heard(clock.nanos());
        assertThat(hurried.isAllowed(POSTGRES)).isFalse();
    }

    @Test
    void aHikariPoolIsReadyWhileItHasAnIdleConnection() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:ready");
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config);
                ConnectionSource given = ConnectionSource.of(pool)) {
            pool.getConnection().close();
            assertThat(given.hasOneReady()).isTrue();
            try (Connection taken = pool.getConnection()) {
                assertThat(given.hasOneReady()).isFalse();
                assertThatThrownBy(() -> given.getReady(1)).isInstanceOf(SQLException.class);
                assertThat(taken.isValid(1)).isTrue();
            }
            try (Connection ready = given.getReady(1_000)) {
                assertThat(ready.isValid(1)).isTrue();
            }
        }
    }

    /** Whatever else hands out connections may give those of the thread's own transaction. */
    @Test
    void noOtherDataSourceIsReady() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:other");
        try (HikariDataSource pool = new HikariDataSource(config);
                HikariDataSource other = new HikariDataSource(config) {}) {
            pool.getConnection().close();
            other.getConnection().close();
            assertThat(ConnectionSource.of(other).hasOneReady()).isFalse();
            DataSource proxy = (DataSource) java.lang.reflect.Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (self, method, arguments) -> method.invoke(pool, arguments));
            assertThat(ConnectionSource.of(proxy).hasOneReady()).isFalse();
        }
    }

    @Test
    void aPoolThatMayBeSuspendedIsNot() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:suspended");
        config.setAllowPoolSuspension(true);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            pool.getConnection().close();
            assertThat(ConnectionSource.of(pool).hasOneReady()).isFalse();
        }
    }

    private static final class Ready implements ConnectionSource {

        private boolean ready = true;

        @Override
        public Connection get() {
            throw new AssertionError("not asked for here");
        }

        @Override
        public boolean hasOneReady() {
            return ready;
        }

        @Override
        public Connection getReady(int poolTimeoutMillis) {
            throw new AssertionError("not asked for here");
        }

        @Override
        public boolean limitsWaits() {
            return false;
        }

        @Override
        public boolean hasOneToSpare() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static final class StillClock implements TimeSource {

        private long millis = 1_000;

        void advance(long by) {
            millis += by;
        }

        @Override
        public ClockReading now() {
            return new ClockReading(nanos(), millis * 1_000);
        }

        @Override
        public long nanos() {
            return millis * 1_000_000;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            throw new AssertionError("nothing is scheduled here");
        }
    }
}
