package dev.leasehold.battery;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisException;
import java.util.List;
import java.util.Map;

/**
 * The Sentinel under test is a Redis master with a replica, and a Sentinel that promotes it. Server 0 is the one that is
 * master at present. Clients know a second sentinel, which is silent, and named first.
 */
final class SentinelUnderTest implements StoreUnderTest {

    private final RedisGroup group = RedisGroup.sentinel();
    private final SilentServer silent = new SilentServer();
    private RedisProcess killed;

    @Override
    public Way way() {
        return new Way(uri(), List.of()); // Sentinel names the servers' own addresses.
    }

    @Override
    public String uri() {
        return "redis-sentinel://" + silent.address() + ",127.0.0.1:"
                + group.servers.get(2).port() + "#main";
    }

    @Override
    public String version() {
        return RedisUnderTest.version(group.servers.get(0));
    }

    @Override
    public int servers() {
        return 1;
    }

    private RedisProcess master() {
        return group.servers.subList(0, 2).stream()
                .filter(server -> replication(server).contains("role:master"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no master"));
    }

    @Override
    public void signal(int server, String signal) {
        master().signal(signal);
    }

    @Override
    public void kill(int server) {
        killed = master();
        killed.kill();
    }

    /**
     * Waits until the other one is master, starts the killed one, and waits until Sentinel has made it follow. Its data
     * is gone.
     */
    @Override
    public void restart(int server, boolean withData) throws InterruptedException {
        RedisProcess other = group.servers.get(killed == group.servers.get(0) ? 1 : 0);
        await("the replica was not promoted", () -> group.sentinelMaster() == other.port());
        killed.restart();
        await("the old master does not follow", () -> replication(killed).contains("master_link_status:up"));
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(String otherwise, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!condition.holds()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException(otherwise);
            }
            Thread.sleep(50);
        }
    }

    private static String replication(RedisProcess server) {
        try {
            return server.commands().info("replication");
        } catch (RedisException e) {
            return ""; // Not yet.
        }
    }

    @Override
    public void killSessions(int server) {
        RedisUnderTest.killSessions(master());
    }

    @Override
    public void flush(int server) {
        master().commands().flushall();
    }

    @Override
    public Map<String, Long> gauges() {
        return RedisUnderTest.gauges(List.of(master()));
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {
        group.close();
        silent.close();
    }
}
