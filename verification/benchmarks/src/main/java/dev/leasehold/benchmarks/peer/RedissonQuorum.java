package dev.leasehold.benchmarks.peer;

import java.util.List;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A Redisson quorum uses Redisson's locks over several masters: the RedLock that it has deprecated, and the MultiLock, which
 * needs all of them.
 */
final class RedissonQuorum implements LockClient {

    private final List<RedissonClient> clients;
    private final Function<RLock[], RLock> kind;

    private RedissonQuorum(Target target, Function<RLock[], RLock> kind) {
        this.kind = kind;
        clients = RedisUris.of(target).stream()
                .map(uri -> {
                    Config config = new Config();
                    config.setLockWatchdogTimeout(target.lease().toMillis());
                    config.useSingleServer().setAddress(uri);
                    return Redisson.create(config);
                })
                .toList();
    }

    @SuppressWarnings("deprecation")
    static LockClient redLock(Target target) {
        return new RedissonQuorum(target, RedissonRedLock::new);
    }

    static LockClient multiLock(Target target) {
        return new RedissonQuorum(target, RedissonMultiLock::new);
    }

    @Override
    public LockHandle lock(String name) {
        return new JucHandle(kind.apply(clients.stream()
                .map(client -> client.getLock("redisson:" + name))
                .toArray(RLock[]::new)));
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
