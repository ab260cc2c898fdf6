package dev.leasehold.battery;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's locks have a time limit. In Redis a scheduler renews them; in a database the holder does, and knows
 * from it how long it has the lock.
 */
final class SpringLocks implements Locks {

    private static final String NAME = "battery-mutex";

    private final RenewableLockRegistry<DistributedLock> registry;
    private final Duration lease;
    private final boolean holderRenews;
    private final AutoCloseable closing;

    private SpringLocks(
            RenewableLockRegistry<DistributedLock> registry,
            Duration lease,
            boolean holderRenews,
            AutoCloseable closing) {
        this.registry = registry;
        this.lease = lease;
        this.holderRenews = holderRenews;
        this.closing = closing;
    }

    static Locks redis(String server, Duration lease) {
        LettuceConnectionFactory connections = SpringRedis.connections(server);
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setDaemon(true);
        scheduler.initialize();
        RedisLockRegistry registry = new RedisLockRegistry(connections, "spring", lease);
        registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        registry.setRenewalTaskScheduler(scheduler);
        return new SpringLocks(registry, lease, false, () -> {
            registry.destroy();
            scheduler.shutdown();
            connections.destroy();
        });
    }

    static Locks jdbc(String url, Duration lease) {
        HikariDataSource pool = Pool.of(url);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return new SpringLocks(new JdbcLockRegistry(repository, lease), lease, true, pool);
    }

    @Override
    public void connect() {}

    @Override
    public Wanted mutex() {
        return new Wanted(NAME, 1, registry.obtain(NAME));
    }

    @Override
    public Hold acquire(Wanted wanted) throws Failed, InterruptedException {
        DistributedLock lock = (DistributedLock) wanted.lock();
        // How long it waits is not known to the caller, and so from when its time to live counts: a renewal tells.
        try {
            lock.lockInterruptibly();
        } catch (RuntimeException e) {
            throw new Failed(e);
        }
        return held(lock);
    }

    @Override
    public Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed, InterruptedException {
        DistributedLock lock = (DistributedLock) wanted.lock();
        try {
            if (!lock.tryLock(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
        } catch (RuntimeException e) {
            throw new Failed(e);
        }
        return Optional.of(held(lock));
    }

    private Hold held(DistributedLock lock) {
        return holderRenews ? new RenewedByHolder(lock) : new Held(lock);
    }

    @Override
    public void close() throws Exception {
        closing.close();
    }

    private static class Held extends PeerHold {

        private final DistributedLock lock;

        Held(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean release() throws Failed {
            try {
                lock.unlock();
                return true;
            } catch (IllegalStateException | java.util.ConcurrentModificationException e) {
                return false; // As it says when the lock has expired.
            } catch (RuntimeException e) {
                throw new Failed(e);
            }
        }
    }

    private final class RenewedByHolder extends Held {

        private long sent;
        private boolean valid;

        RenewedByHolder(DistributedLock lock) {
            super(lock);
            renew();
        }

        private void renew() {
            long now = System.nanoTime();
            try {
                registry.renewLock(NAME, lease);
                sent = now;
                valid = true;
            } catch (RuntimeException e) {
                valid = false;
            }
        }

        @Override
        public boolean isValid() {
            if (valid && System.nanoTime() - sent > lease.toNanos() / 3) {
                renew();
            }
            return valid && System.nanoTime() - sent < lease.toNanos();
        }
    }
}
