package dev.leasehold.benchmarks.peer;

import java.util.Arrays;
import java.util.List;

/** RedisUris names the masters of a quorum one by one, for libraries that take them so. */
final class RedisUris {

    private RedisUris() {}

    static List<String> of(Target target) {
        return Arrays.stream(target.uri().replaceFirst("^redlock://", "").split(",", -1))
                .map(address -> "redis://" + address)
                .toList();
    }
}
