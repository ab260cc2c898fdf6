package dev.leasehold.redis.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A permission check finds out whether a user has the rights that locks need, by trying them. A server checks rights before
 * it looks at the key, so each command is sent in a form that changes nothing: to a key that is a string for five seconds
 * and nobody else's. That needs no right to ask about rights, and works in all versions. A test holds the list together with
 * docs/redis.md.
 */
final class PermissionCheck {

    private static final int CROWD = 6;

    private final StatefulRedisConnection<String, String> connection;
    private final String node;
    private final String root;
    private final String key;
    private final String channel;
    private final Set<String> commands = new LinkedHashSet<>();
    private final Set<String> untried = new LinkedHashSet<>();
    private boolean keys;
    private boolean channels;

    private PermissionCheck(
            StatefulRedisConnection<String, String> connection, String node, String root, String key, String channel) {
        this.connection = connection;
        this.node = node;
        this.root = root;
        this.key = key;
        this.channel = channel;
    }

    /**
     * Tries everything. Blocks.
     *
     * @param listener a connection to subscribe on
     * @param root what keys and channels begin with
     * @param key a key that nobody uses
     */
    static List<Finding> of(
            StatefulRedisConnection<String, String> connection,
            StatefulRedisPubSubConnection<String, String> listener,
            String node,
            String root,
            String key,
            String channel,
            boolean cluster,
            boolean waits) {
        PermissionCheck rights = new PermissionCheck(connection, node, root, key, channel);
        rights.tryAll(cluster, waits);
        rights.listen(listener);
        return rights.findings();
    }

    private void tryAll(boolean cluster, boolean waits) {
        boolean string = may(CommandType.SET, key, "leasehold doctor", "PX", "5000");
        may(CommandType.EVALSHA, "0".repeat(40), "0");
        may(CommandType.EVAL, "return 1", "0");
        may(CommandType.TIME);
        may(CommandType.INFO, "server");
        may(CommandType.PING);
        may(CommandType.EXISTS, key);
        may(CommandType.GET, key);
        may(CommandType.MGET, key);
        may(CommandType.PTTL, key);
        may(CommandType.PEXPIRE, key, "5000");
        may(CommandType.LINDEX, key, "0");
        may(CommandType.LLEN, key);
        may(CommandType.LRANGE, key, "0", "0");
        may(CommandType.LREM, key, "1", "element");
        may(CommandType.LSET, key, "0", "element");
        if (string) {
            may(CommandType.SETRANGE, key, "0", "leasehold doctor");
            may(CommandType.LPOP, key);
            may(CommandType.LPUSH, key, "element");
            may(CommandType.RPUSH, key, "element");
        } else {
            // Without the string they would change something that is not ours, or make a key that stays.
            untried.addAll(List.of("setrange", "lpop", "lpush", "rpush"));
        }
        may(CommandType.DEL, key);
        may(CommandType.SCAN, "0", "COUNT", "1");
        may(CommandType.PUBLISH, channel, "");
        if (waits) {
            may(CommandType.WAIT, "0", "1");
        }
        if (cluster) {
            may(CommandType.CLUSTER, "SLOTS");
            may(CommandType.ASKING);
        }
    }

    private boolean may(CommandType type, String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(RedisConnection.CODEC);
        for (String word : words) {
            args.add(word);
        }
        try {
            connection.sync().dispatch(type, new NestedMultiOutput<>(RedisConnection.CODEC), args);
        } catch (RedisCommandExecutionException e) {
            String command = type.name().toLowerCase(Locale.ROOT);
            return note(type == CommandType.CLUSTER ? "cluster|slots" : command, e);
        }
        return true;
    }

    private void listen(StatefulRedisPubSubConnection<String, String> listener) {
        try {
            listener.sync().subscribe(channel);
        } catch (RedisCommandExecutionException e) {
            note("subscribe", e);
        }
    }

    /** Any other objection of a server to a command is no want of rights. */
    private boolean note(String command, RedisCommandExecutionException e) {
        String message = String.valueOf(e.getMessage());
        if (!RedisFailures.code(e).equals("NOPERM")) {
            return true;
        }
        if (message.contains("channel")) {
            channels = true;
        } else if (message.contains("access") && message.contains("key")) {
            keys = true;
        } else {
            commands.add(command);
        }
        return false;
    }

    private List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        if (!commands.isEmpty()) {
            findings.add(missing(
                    "redis-rights-missing",
                    "the user may not call " + String.join(", ", commands),
                    commands.size() < CROWD
                            ? "allow +" + String.join(" +", commands)
                            : "allow what docs/redis.md lists"));
        }
        if (keys) {
            findings.add(
                    missing("redis-keys-forbidden", "the user may not use the keys of locks", "allow ~" + root + "*"));
        }
        if (channels) {
            findings.add(missing(
                    "redis-channels-forbidden",
                    "the user may not use the channels of clients",
                    "allow &" + root + "*"));
        }
        if (!untried.isEmpty()) {
            findings.add(Finding.of(
                            Severity.NOTE,
                            "redis-rights-not-seen",
                            node,
                            "whether the user may call " + String.join(", ", untried) + " could not be tried")
                    .meaning("locks need it", "allow set first"));
        }
        if (findings.isEmpty()) {
            findings.add(
                    Finding.of(Severity.FINE, "redis-rights", node, "the user may call every command that locks need"));
        }
        return findings;
    }

    private Finding missing(String code, String what, String remedy) {
        return Finding.of(Severity.SERIOUS, code, node, what)
                .meaning("nobody gets a lock as this user, or no waiter hears that its turn has come", remedy);
    }
}
