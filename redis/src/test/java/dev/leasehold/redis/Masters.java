package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;

/** Independent masters for a quorum, just started. */
final class Masters implements AutoCloseable {

    final List<RedisProcess> servers = new ArrayList<>();

    private Masters() {}

    static Masters start(int count, String... options) {
        Masters masters = new Masters();
        for (int i = 0; i < count; i++) {
            masters.servers.add(RedisProcess.start(RedisProcess.Version.V7_0, options));
        }
        // Loads Lettuce, which on a busy machine takes longer than a connection may.
        masters.servers.get(0).commands().ping();
        return masters;
    }

    List<RedisURI> uris() {
        return servers.stream().map(server -> RedisURI.create(server.uri())).toList();
    }

    @Override
    public void close() {
        servers.forEach(RedisProcess::close);
    }
}
