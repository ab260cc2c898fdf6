package dev.leasehold.benchmarks.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.benchmarks.server.StoreKind;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** A ShedLock client has no waiting: a busy lock is tried again after a millisecond. */
final class ShedLockClient implements LockClient {

    private final LockProvider provider;
    private final AutoCloseable connections;
    private final Duration lease;

    private ShedLockClient(LockProvider provider, AutoCloseable connections, Duration lease) {
        this.provider = provider;
        this.connections = connections;
        this.lease = lease;
    }

    static LockClient open(Target target) throws SQLException {
        if (target.store() == StoreKind.REDIS) {
            Spring spring = new Spring(target.uri());
            return new ShedLockClient(new RedisLockProvider(spring.connections()), spring, target.lease());
        }
        HikariDataSource pool = SqlUris.pool(target);
        SqlTables.create(
                pool,
                "CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp(6) NULL,"
                        + " locked_at timestamp(6) NULL, locked_by varchar(255))");
        return new ShedLockClient(
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build()),
                pool,
                target.lease());
    }

    @Override
    public LockHandle lock(String name) {
        return new LockHandle() {
            private SimpleLock held;

            @Override
            public void acquire() {
                while (true) {
                    Optional<SimpleLock> granted =
                            provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO));
                    if (granted.isPresent()) {
                        held = granted.get();
                        return;
                    }
                    LockSupport.parkNanos(1_000_000);
                }
            }

            @Override
            public void release() {
                held.unlock();
            }
        };
    }

    @Override
    public void close() throws Exception {
        connections.close();
    }
}
