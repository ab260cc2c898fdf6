package dev.leasehold.battery;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock's locks have no waiting: a worker that finds one busy tries again 20 ms later. A hold ends after {@code
 * lockAtMostFor}, which its holder counts from before the request.
 */
final class ShedLockLocks implements Locks {

    private static final long AGAIN_MILLIS = 20;

    private final LockProvider provider;
    private final Duration lease;
    private final AutoCloseable closing;

    private ShedLockLocks(LockProvider provider, Duration lease, AutoCloseable closing) {
        this.provider = provider;
        this.lease = lease;
        this.closing = closing;
    }

    static Locks redis(String server, Duration lease) {
        LettuceConnectionFactory connections = SpringRedis.connections(server);
        // Without safeUpdate, which is not the default, an unlock that comes late deletes the lock of another holder.
        RedisLockProvider provider =
                new RedisLockProvider.Builder(connections).safeUpdate(true).build();
        return new ShedLockLocks(provider, lease, connections::destroy);
    }

    static Locks jdbc(String url, Duration lease) {
        HikariDataSource pool = Pool.of(url);
        return new ShedLockLocks(
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        // By default it is the name of the host, and processes of one host unlock for each other.
                        .withLockedByValue(UUID.randomUUID().toString())
                        .usingDbTime()
                        .build()),
                lease,
                pool);
    }

    @Override
    public void connect() {}

    @Override
    public Wanted mutex() {
        return new Wanted("battery-mutex", 1, provider);
    }

    @Override
    public Hold acquire(Wanted wanted) throws Failed, InterruptedException {
        while (true) {
            Optional<Hold> hold = once();
            if (hold.isPresent()) {
                return hold.get();
            }
            Thread.sleep(AGAIN_MILLIS);
        }
    }

    @Override
    public Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed {
        return once();
    }

    private Optional<Hold> once() throws Failed {
        long sent = System.nanoTime();
        try {
            return provider.lock(new LockConfiguration(Instant.now(), "battery-mutex", lease, Duration.ZERO))
                    .map(lock -> new Held(lock, sent + lease.toNanos()));
        } catch (RuntimeException e) {
            throw new Failed(e);
        }
    }

    @Override
    public void close() throws Exception {
        closing.close();
    }

    private static final class Held extends PeerHold {

        private final SimpleLock lock;
        private final long end;

        Held(SimpleLock lock, long end) {
            this.lock = lock;
            this.end = end;
        }

        @Override
        public boolean isValid() {
            return System.nanoTime() - end < 0;
        }

        @Override
        public boolean release() throws Failed {
            boolean kept = isValid();
            try {
                lock.unlock();
                return kept;
            } catch (RuntimeException e) {
                throw new Failed(e);
            }
        }
    }
}
