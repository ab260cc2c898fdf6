package dev.leasehold.redis.node;

import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.SeparatePassword;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Redis settings are those of a store in Redis, apart from its address.
 *
 * @param plainKeys whether the key of a lock is its bare name, shared with other clients of the published algorithm
 * @param replicas how many replicas have to acknowledge; 0 for none
 * @param replicaTimeout how long they are waited for
 */
public record RedisSettings(boolean plainKeys, int replicas, Duration replicaTimeout) {

    public static final RedisSettings DEFAULTS = new RedisSettings(false, 0, Duration.ofMillis(500));

    private static final int MOST_REPLICAS = 1000;

    public RedisSettings {
        if (replicas < 0 || replicas > MOST_REPLICAS) {
            throw new IllegalArgumentException(
                    "waitForReplicas must be 0 to " + MOST_REPLICAS + ", but was " + replicas);
        }
        if (replicaTimeout.compareTo(Duration.ofMillis(1)) < 0
                || replicaTimeout.compareTo(Duration.ofMinutes(10)) > 0) {
            throw new IllegalArgumentException("the time to wait for replicas must be 1 ms to 10 minutes, but was "
                    + DurationText.of(replicaTimeout));
        }
    }

    public RedisSettings withPlainKeys() {
        return new RedisSettings(true, replicas, replicaTimeout);
    }

    public RedisSettings withReplicas(int count, Duration timeout) {
        return new RedisSettings(plainKeys, count, timeout);
    }

    /** Reads our options of a URI. */
    public static RedisSettings read(StoreUri uri) {
        Map<String, String> rest = new HashMap<>(uri.options());
        rest.remove(SeparatePassword.OPTION);
        rest.keySet().removeAll(Tls.OPTIONS);
        if (uri.scheme().endsWith("-sentinel")) {
            rest.keySet().removeAll(SeparatePassword.OF_SENTINELS);
        }
        RedisSettings settings = DEFAULTS;
        String keys = rest.remove("keys");
        if (keys != null) {
            if (!keys.equals("plain")) {
                throw new IllegalArgumentException("option leasehold.keys can only be 'plain', but was '" + keys + "'");
            }
            settings = settings.withPlainKeys();
        }
        String replicas = rest.remove("waitForReplicas");
        String timeout = rest.remove("waitTimeout");
        if (replicas != null) {
            settings = settings.withReplicas(
                    number("waitForReplicas", replicas),
                    timeout == null ? DEFAULTS.replicaTimeout : Duration.ofMillis(number("waitTimeout", timeout)));
        } else if (timeout != null) {
            throw new IllegalArgumentException(
                    "option leasehold.waitTimeout means nothing without leasehold.waitForReplicas");
        }
        for (String option : rest.keySet()) {
            throw new IllegalArgumentException(
                    "unknown option leasehold." + option + " in '" + uri
                            + "'; known are keys, password, waitForReplicas, waitTimeout, tls.ca, tls.cert and tls.key, those of sentinels, and those of every store");
        }
        return settings;
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "option leasehold." + name + " must be a whole number, but was '" + value + "'", e);
        }
    }

    /** Returns why a client cannot open a store with these settings; null if it can. */
    public @Nullable String refusal(StoreContext context) {
        if (plainKeys && !context.namespace().isEmpty()) {
            return "leasehold.keys=plain cannot be combined with a namespace: the lock's key is the bare name, which other "
                    + "clients know. Leave the namespace '" + context.namespace() + "' out, and put it into the names";
        }
        Duration most = context.storeTimeout().dividedBy(4);
        if (replicas > 0 && replicaTimeout.compareTo(most) > 0) {
            return "replicas can be waited for for at most a quarter of the storeTimeout of "
                    + DurationText.of(context.storeTimeout()) + ", but " + DurationText.of(replicaTimeout)
                    + " was asked for; raise the storeTimeout";
        }
        return null;
    }
}
