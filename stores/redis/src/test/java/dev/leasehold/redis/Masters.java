package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Masters for a quorum are independent, and just started. */
public final class Masters implements AutoCloseable {

    public final List<RedisProcess> servers = new ArrayList<>();

    private Masters() {}

    public static Masters start(int count, String... options) {
        Masters masters = new Masters();
        for (int i = 0; i < count; i++) {
            masters.servers.add(RedisProcess.start(options));
        }
        masters.servers.get(0).warm();
        return masters;
    }

    /** A store on all of them, which have been told that they are a quorum. */
    public RedlockStore initialized() {
        RedlockStore store =
                RedlockStore.of(uris()).withMaxLease(Duration.ofHours(1)).withNodeTimeout(Duration.ofSeconds(2));
        store.initialize();
        return store;
    }

    List<RedisURI> uris() {
        return servers.stream().map(server -> RedisURI.create(server.uri())).toList();
    }

    @Override
    public void close() {
        servers.forEach(RedisProcess::close);
    }
}
