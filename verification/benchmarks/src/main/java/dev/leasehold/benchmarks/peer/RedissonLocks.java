package dev.leasehold.benchmarks.peer;

import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's locks are watched by its watchdog, and its semaphore's permits expire after a time that is fixed beforehand.
 */
final class RedissonLocks implements LockClient {

    private final RedissonClient client;
    private final long lease;
    private final boolean fair;

    RedissonLocks(Target target, boolean fair) {
        this.fair = fair;
        lease = target.lease().toMillis();
        Config config = new Config();
        config.setLockWatchdogTimeout(lease);
        config.useSingleServer().setAddress(target.uri());
        client = Redisson.create(config);
    }

    private static String key(String name) {
        return "redisson:" + name;
    }

    @Override
    public LockHandle lock(String name) {
        return new JucHandle(fair ? client.getFairLock(key(name)) : client.getLock(key(name)));
    }

    @Override
    public LockHandle permit(String name, int permits) {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(key(name));
        semaphore.trySetPermits(permits);
        return new LockHandle() {
            private String id = "";

            @Override
            public void acquire() throws InterruptedException {
                id = semaphore.acquire(lease, TimeUnit.MILLISECONDS);
            }

            @Override
            public void release() {
                semaphore.release(id);
            }
        };
    }

    @Override
    public LockHandle read(String name) {
        return new JucHandle(client.getReadWriteLock(key(name)).readLock());
    }

    @Override
    public LockHandle write(String name) {
        return new JucHandle(client.getReadWriteLock(key(name)).writeLock());
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
