package dev.leasehold.battery;

import dev.leasehold.redis.RedlockStore;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.FaultProxy;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One Redis, or a quorum of several. Each writes what it does to its append-only file before it answers. */
final class RedisUnderTest implements StoreUnderTest {

    /** The longest lease of a quorum, for which masters that have forgotten have no vote. */
    private static final Duration LONGEST = Duration.ofSeconds(4);

    private final List<RedisProcess> masters = new ArrayList<>();
    private final boolean quorum;

    private RedisUnderTest(int count, boolean quorum) {
        this.quorum = quorum;
        for (int i = 0; i < count; i++) {
            masters.add(
                    RedisProcess.start(RedisProcess.Version.V7_0, "--appendonly", "yes", "--appendfsync", "always"));
        }
        masters.forEach(RedisProcess::warm);
    }

    static StoreUnderTest one() {
        return new RedisUnderTest(1, false);
    }

    static StoreUnderTest quorum(int count) {
        RedisUnderTest store = new RedisUnderTest(count, true);
        RedlockStore.of(store.masters.stream()
                        .map(master -> RedisURI.create(master.uri()))
                        .toList())
                .withMaxLease(LONGEST)
                .initialize();
        return store;
    }

    @Override
    public Way way() {
        List<FaultProxy> proxies =
                masters.stream().map(master -> FaultProxy.to(master.port())).toList();
        return new Way(uri(proxies.stream().map(FaultProxy::port).toList()), proxies);
    }

    @Override
    public String uri() {
        return uri(masters.stream().map(RedisProcess::port).toList());
    }

    private String uri(List<Integer> ports) {
        String hosts = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        return quorum
                ? "redlock://" + hosts + "?leasehold.maxLeaseDuration=" + LONGEST.toMillis() + "ms"
                : "redis://" + hosts;
    }

    @Override
    public int servers() {
        return masters.size();
    }

    @Override
    public void signal(int server, String signal) {
        masters.get(server).signal(signal);
    }

    @Override
    public void kill(int server) {
        masters.get(server).kill();
    }

    @Override
    public void restart(int server, boolean withData) {
        RedisProcess master = masters.get(server);
        if (!withData) {
            delete(master.directory().resolve("appendonlydir"));
        }
        master.restart();
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void flush(int server) {
        masters.get(server).commands().flushall();
    }

    @Override
    public int overtaking() {
        return quorum ? 32 : 16;
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
    }
}
