package dev.leasehold.benchmarks.study;

import dev.leasehold.redis.RedlockStore;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Masters are independent, and opened as a quorum. */
final class Masters implements AutoCloseable {

    private final List<RedisProcess> servers = new ArrayList<>();

    static Masters start(int count) {
        Masters masters = new Masters();
        for (int i = 0; i < count; i++) {
            masters.servers.add(RedisProcess.start());
        }
        masters.servers.get(0).commands().ping();
        RedlockStore.of(masters.uris().stream().map(RedisURI::create).toList()).initialize();
        return masters;
    }

    RedisProcess server(int number) {
        return servers.get(number);
    }

    List<String> uris() {
        return servers.stream().map(RedisProcess::uri).toList();
    }

    String quorumUri() {
        return servers.stream()
                .map(server -> "localhost:" + server.port())
                .collect(Collectors.joining(",", "redlock://", ""));
    }

    @Override
    public void close() {
        servers.forEach(RedisProcess::close);
    }
}
