package dev.leasehold.benchmarks;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock, with its watchdog. */
final class RedissonPeer implements Peer {

    private final RedissonClient client;
    private final RLock lock;

    RedissonPeer(String redisUri, String lock) {
        Config config = new Config();
        config.useSingleServer().setAddress(redisUri);
        client = Redisson.create(config);
        this.lock = client.getLock("redisson:" + lock);
    }

    @Override
    public String name() {
        return "Redisson";
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
    public void close() {
        client.shutdown();
    }
}
