package dev.leasehold.redis.doctor;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Node facts are what one server has reported about itself, as far as the user may read them. Immutable.
 *
 * @param node its name, for messages
 * @param info the fields of INFO
 * @param config settings by name, those that we were not allowed to see missing
 * @param ahead how far its clock is ahead of this machine's, in microseconds; null if it did not say
 * @param error by how much {@code ahead} may be wrong: half of a round trip
 * @param median the median of the round trips
 * @param worst the longest round trip
 */
public record NodeFacts(
        String node,
        Map<String, String> info,
        Map<String, String> config,
        @Nullable Long ahead,
        long error,
        Duration median,
        Duration worst) {

    private static final List<String> SETTINGS =
            List.of("appendfsync", "save", "min-replicas-to-write", "protected-mode", "bind");
    private static final int PINGS = 20;
    private static final int CLOCK_READINGS = 5;

    /** Asks a server. Blocks. */
    static NodeFacts of(String node, StatefulRedisConnection<String, String> connection) {
        RedisCommands<String, String> server = connection.sync();
        Map<String, String> info = Map.of();
        long[] trips = new long[PINGS];
        try {
            for (int i = 0; i < PINGS; i++) {
                long begin = System.nanoTime();
                server.ping();
                trips[i] = System.nanoTime() - begin;
            }
            info = fields(server.info());
        } catch (RedisCommandExecutionException e) {
            trips[0] = 0; // Which right is missing is found out by Rights.
        }
        Arrays.sort(trips);
        Long ahead = null;
        long error = Long.MAX_VALUE;
        try {
            for (int i = 0; i < CLOCK_READINGS; i++) {
                long begin = System.nanoTime();
                long before = micros(Instant.now());
                List<String> time = server.time();
                long half = (System.nanoTime() - begin) / 2_000;
                if (half < error) {
                    error = half;
                    long theirs = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
                    ahead = theirs - before - half;
                }
            }
        } catch (RedisCommandExecutionException e) {
            error = 0;
        }
        return new NodeFacts(
                node,
                info,
                settings(server),
                ahead,
                error,
                Duration.ofNanos(trips[PINGS / 2]),
                Duration.ofNanos(trips[PINGS - 1]));
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private static Map<String, String> settings(RedisCommands<String, String> server) {
        Map<String, String> settings = new HashMap<>();
        for (String name : SETTINGS) {
            try {
                settings.putAll(server.configGet(name));
            } catch (RedisCommandExecutionException e) {
                return settings; // Forbidden, or renamed, as by many who host Redis.
            }
        }
        return settings;
    }

    static Map<String, String> fields(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
        });
        return fields;
    }

    /** Returns a field of INFO, empty if it is missing. */
    public String field(String name) {
        return info.getOrDefault(name, "");
    }

    public long number(String name) {
        String field = field(name);
        return field.matches("\\d{1,18}") ? Long.parseLong(field) : 0;
    }

    /** Returns a setting, or null if it could not be seen. */
    public @Nullable String setting(String name) {
        return config.get(name);
    }

    public boolean isMaster() {
        return !field("role").equals("slave");
    }

    public int replicas() {
        return (int) number("connected_slaves");
    }
}
