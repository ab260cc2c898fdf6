package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** A foreign Redlock is as its page has it, and nothing else: the same value on a majority, compare and delete on all. */
final class ForeignRedlock {

    private final List<ForeignClient> nodes = new ArrayList<>();
    private final SplittableRandom random;

    ForeignRedlock(List<RedisProcess> servers, long seed) {
        servers.forEach(server -> nodes.add(new ForeignClient(server.connect().sync())));
        random = new SplittableRandom(seed);
    }

    /**
     * Takes a lock, and returns the value that it wrote on each node, null where it wrote none. Null if the lock is not
     * free.
     */
    List<String> tryLock(String name, Duration lease) {
        long start = System.nanoTime();
        List<String> values = new ArrayList<>();
        int count = 0;
        for (ForeignClient node : nodes) {
            String value = node.tryLock(name, lease);
            values.add(value);
            count += value == null ? 0 : 1;
        }
        if (count > nodes.size() / 2 && System.nanoTime() - start < lease.toNanos() / 2) {
            return values;
        }
        unlock(name, values);
        return null;
    }

    List<String> lock(String name, Duration lease) {
        while (true) {
            List<String> values = tryLock(name, lease);
            if (values != null) {
                return values;
            }
            LockSupport.parkNanos(random.nextLong(1_000_000, 40_000_000));
        }
    }

    void unlock(String name, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i) != null) {
                nodes.get(i).unlock(name, values.get(i));
            }
        }
    }
}
