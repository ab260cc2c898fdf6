package dev.leasehold.benchmarks;

import java.util.concurrent.locks.Lock;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** The lock registry of Spring Integration. */
final class SpringPeer implements Peer {

    private final String name;
    private final Spring spring;
    private final RedisLockRegistry registry;
    private final Lock lock;

    private SpringPeer(String name, RedisLockRegistry.RedisLockType type, String redisUri, String lock) {
        this.name = name;
        spring = new Spring(redisUri);
        registry = new RedisLockRegistry(spring.connections(), "spring", 30_000);
        registry.setRedisLockType(type);
        this.lock = registry.obtain(lock);
    }

    /** As it comes: who waits tries again and again. */
    static SpringPeer spinning(String redisUri, String lock) {
        return new SpringPeer("Spring Integration", RedisLockRegistry.RedisLockType.SPIN_LOCK, redisUri, lock);
    }

    /** Who waits is told by a message. */
    static SpringPeer told(String redisUri, String lock) {
        return new SpringPeer(
                "Spring Integration, pub/sub", RedisLockRegistry.RedisLockType.PUB_SUB_LOCK, redisUri, lock);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void acquire() {
        lock.lock();
    }

    @Override
    public void release() {
        lock.unlock();
    }

    @Override
    public void close() throws Exception {
        registry.destroy();
        spring.close();
    }
}
