package dev.leasehold.battery;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * The cluster under test has three Redis masters, each of which writes what it does to its append-only file before it
 * answers. A slot that is moved goes to the next master, and when it is moved again, back to its first. Clients
 * know a fourth node, which is silent, and named first.
 */
final class ClusterUnderTest implements StoreUnderTest {

    private static final Duration MIGRATION = Duration.ofSeconds(5);

    /** The limit for moving a slot's last keys. Clients make new keys only at the new master by then. */
    private static final Duration EMPTYING = Duration.ofSeconds(30);

    /** More than the keys of one lock, and all other locks have slots of their own. */
    private static final int MANY = 1_000;

    private final RedisGroup group = RedisGroup.cluster("--appendonly", "yes", "--appendfsync", "always");

    private final SilentServer silent = new SilentServer();

    /** The masters of the slots that are not where they were first. */
    private final Map<Integer, Integer> moved = new HashMap<>();

    @Override
    public Way way() {
        return new Way(uri(), List.of()); // The nodes name their own addresses.
    }

    @Override
    public String uri() {
        return "redis-cluster://" + silent.address() + ","
                + group.servers.stream()
                        .map(server -> "127.0.0.1:" + server.port())
                        .collect(Collectors.joining(","));
    }

    @Override
    public String version() {
        return RedisUnderTest.version(group.servers.get(0));
    }

    @Override
    public int servers() {
        return group.servers.size();
    }

    @Override
    public void signal(int server, String signal) {
        group.servers.get(server).signal(signal);
    }

    @Override
    public void kill(int server) {
        group.servers.get(server).kill();
    }

    @Override
    public void restart(int server, boolean withData) {
        if (!withData) {
            throw new UnsupportedOperationException("masters of a cluster keep their data here");
        }
        group.servers.get(server).restart();
    }

    @Override
    public void awaitServing() {
        group.awaitCluster();
    }

    @Override
    public void flush(int server) {
        group.servers.get(server).commands().flushall();
    }

    @Override
    public void killSessions(int server) {
        RedisUnderTest.killSessions(group.servers.get(server));
    }

    private int masterOf(int slot) {
        return moved.getOrDefault(slot, RedisGroup.firstMaster(slot));
    }

    private int nextMasterOf(int slot) {
        int first = RedisGroup.firstMaster(slot);
        return moved.containsKey(slot) ? first : (first + 1) % group.servers.size();
    }

    /** The keys of a lock have its name in braces, which decides their slot. */
    private static int slot(String lock) {
        return SlotHash.getSlot(lock);
    }

    private static List<String> keys(RedisProcess server, int slot) {
        return server.commands().clusterGetKeysInSlot(slot, MANY);
    }

    @Override
    public void beginMoving(String lock, Random random) {
        int slot = slot(lock);
        RedisProcess from = group.servers.get(masterOf(slot));
        RedisProcess to = group.servers.get(nextMasterOf(slot));
        to.commands().clusterSetSlotImporting(slot, from.commands().clusterMyId());
        from.commands().clusterSetSlotMigrating(slot, to.commands().clusterMyId());
        List<String> keys = new ArrayList<>(keys(from, slot));
        Collections.sort(keys); // Or the seed would not decide.
        Collections.shuffle(keys, random);
        migrate(from, to, keys.subList(0, random.nextInt(keys.size() + 1)));
    }

    @Override
    public void endMoving(String lock) {
        int slot = slot(lock);
        int next = nextMasterOf(slot);
        RedisProcess from = group.servers.get(masterOf(slot));
        RedisProcess to = group.servers.get(next);
        long end = System.nanoTime() + EMPTYING.toNanos();
        for (List<String> rest = keys(from, slot); !rest.isEmpty(); rest = keys(from, slot)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("slot " + slot + " still has " + rest + " after " + EMPTYING);
            }
            migrate(from, to, rest);
        }
        // The new master has to be the first to know, or the slot would be nobody's for a moment.
        String id = to.commands().clusterMyId();
        to.commands().clusterSetSlotNode(slot, id);
        from.commands().clusterSetSlotNode(slot, id);
        group.servers.forEach(server -> server.commands().clusterSetSlotNode(slot, id));
        if (next == RedisGroup.firstMaster(slot)) {
            moved.remove(slot);
        } else {
            moved.put(slot, next);
        }
    }

    /** Moves keys. The old master serves a key for as long as it has it, so a copy that the new one has is older. */
    private static void migrate(RedisProcess from, RedisProcess to, List<String> keys) {
        for (String key : keys) {
            from.commands()
                    .migrate(
                            "127.0.0.1",
                            to.port(),
                            0,
                            MIGRATION.toMillis(),
                            MigrateArgs.Builder.<String>keys(key).replace());
        }
    }

    @Override
    public Map<String, Long> gauges() {
        return RedisUnderTest.gauges(group.servers);
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
