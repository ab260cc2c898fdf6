package dev.leasehold.battery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's locks belong to threads. A thread has the lock from {@code lock()} to {@code unlock()}; its watchdog renews the
 * lock meanwhile.
 */
final class RedissonLocks implements Locks {

    private static final String NAME = "battery-mutex";

    private final List<RedissonClient> clients;
    private final Function<List<RedissonClient>, RLock> kind;

    private RedissonLocks(List<String> servers, Duration lease, Function<List<RedissonClient>, RLock> kind) {
        this.kind = kind;
        clients = servers.stream().map(server -> client(server, lease)).toList();
    }

    private static RedissonClient client(String server, Duration lease) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        config.useSingleServer()
                .setAddress("redis://" + server)
                .setConnectionPoolSize(8)
                .setConnectionMinimumIdleSize(2);
        return Redisson.create(config);
    }

    static Locks plain(List<String> servers, Duration lease) {
        return new RedissonLocks(servers, lease, clients -> clients.get(0).getLock(NAME));
    }

    static Locks fair(List<String> servers, Duration lease) {
        return new RedissonLocks(servers, lease, clients -> clients.get(0).getFairLock(NAME));
    }

    static Locks multi(List<String> servers, Duration lease) {
        return new RedissonLocks(
                servers,
                lease,
                clients -> new RedissonMultiLock(
                        clients.stream().map(client -> client.getLock(NAME)).toArray(RLock[]::new)));
    }

    @Override
    public void connect() {}

    @Override
    public Wanted mutex() {
        return new Wanted(NAME, 1, kind.apply(clients));
    }

    @Override
    public Hold acquire(Wanted wanted) throws Failed, InterruptedException {
        RLock lock = (RLock) wanted.lock();
        try {
            lock.lockInterruptibly();
            return new Held(lock);
        } catch (RuntimeException e) {
            throw new Failed(e);
        }
    }

    @Override
    public Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed, InterruptedException {
        RLock lock = (RLock) wanted.lock();
        try {
            return lock.tryLock(atMost.toMillis(), TimeUnit.MILLISECONDS)
                    ? Optional.of(new Held(lock))
                    : Optional.empty();
        } catch (RuntimeException e) {
            throw new Failed(e);
        }
    }

    @Override
    public void close() {
        clients.forEach(client -> client.shutdown(0, 2, TimeUnit.SECONDS));
    }

    private static final class Held extends PeerHold {

        private final RLock lock;

        Held(RLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean release() throws Failed {
            try {
                lock.unlock();
                return true;
            } catch (IllegalMonitorStateException e) {
                return false;
            } catch (RuntimeException e) {
                throw new Failed(e);
            }
        }
    }
}
