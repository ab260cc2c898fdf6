package dev.leasehold.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

/** ShedLock, which has no waiting: the lock is tried again until it is free. */
final class ShedLockPeer implements Peer {

    private final Spring spring;
    private final RedisLockProvider provider;
    private final String lock;
    private SimpleLock held;

    ShedLockPeer(String redisUri, String lock) {
        spring = new Spring(redisUri);
        provider = new RedisLockProvider(spring.connections());
        this.lock = lock;
    }

    @Override
    public String name() {
        return "ShedLock";
    }

    @Override
    public void acquire() {
        while (true) {
            Optional<SimpleLock> granted =
                    provider.lock(new LockConfiguration(Instant.now(), lock, Duration.ofSeconds(30), Duration.ZERO));
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

    @Override
    public void close() {
        spring.close();
    }
}
