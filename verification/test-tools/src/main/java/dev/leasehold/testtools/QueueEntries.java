package dev.leasehold.testtools;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.UnaryOperator;

/** Queue entries stand in the queue of a lock; {@code lock.lua} describes their layout. */
public final class QueueEntries {

    private QueueEntries() {}

    /** Returns the claims in the queue, the first one first. */
    public static List<String> claims(RedisCommands<String, String> redis, String queue) {
        return redis.lrange(queue, 0, -1).stream()
                .map(entry -> entry.split("\\|")[4])
                .toList();
    }

    /** Returns the claims that are alive at a time of the server's clock. */
    public static List<String> alive(RedisCommands<String, String> redis, String queue, long micros) {
        return redis.lrange(queue, 0, -1).stream()
                .map(entry -> entry.split("\\|"))
                .filter(parts -> Long.parseLong(parts[0]) + Long.parseLong(parts[2]) * 1000 > micros)
                .map(parts -> parts[4])
                .toList();
    }

    /** Moves the time at which all of them have last asked, forward or back. */
    public static void shift(RedisCommands<String, String> redis, String queue, long micros) {
        change(redis, queue, parts -> {
            parts[0] = String.format("%016d", Long.parseLong(parts[0]) + micros);
            return parts;
        });
    }

    /** Changes all entries, each split into its nine parts. */
    public static void change(RedisCommands<String, String> redis, String queue, UnaryOperator<String[]> change) {
        List<String> entries = redis.lrange(queue, 0, -1);
        for (int i = 0; i < entries.size(); i++) {
            redis.lset(queue, i, String.join("|", change.apply(entries.get(i).split("\\|", 9))));
        }
    }
}
