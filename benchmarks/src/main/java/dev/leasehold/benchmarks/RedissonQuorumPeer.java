package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** What Redisson has for several masters: the RedLock that it has deprecated, and the MultiLock, which needs all of them. */
final class RedissonQuorumPeer implements Peer {

    private final String name;
    private final List<RedissonClient> clients = new ArrayList<>();
    private final RLock lock;

    private RedissonQuorumPeer(String name, List<String> redisUris, String key, Function<RLock[], RLock> kind) {
        this.name = name;
        for (String uri : redisUris) {
            Config config = new Config();
            config.useSingleServer().setAddress(uri);
            clients.add(Redisson.create(config));
        }
        lock = kind.apply(clients.stream().map(client -> client.getLock(key)).toArray(RLock[]::new));
    }

    @SuppressWarnings("deprecation")
    static Peer redLock(List<String> redisUris, String lock) {
        return new RedissonQuorumPeer("Redisson RedLock", redisUris, "redlock:" + lock, RedissonRedLock::new);
    }

    static Peer multiLock(List<String> redisUris, String lock) {
        return new RedissonQuorumPeer("Redisson MultiLock", redisUris, "multilock:" + lock, RedissonMultiLock::new);
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
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
