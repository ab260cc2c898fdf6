package dev.leasehold.redis.node;

import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.SeparatePassword;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.ScriptTexts;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Redis settings are those of a store in Redis, apart from its address.
 *
 * @param keyPrefix what all keys and channels begin with, but for plain keys of locks
 * @param plainKeys whether the key of a lock is its bare name, shared with other clients of the published algorithm
 * @param tokenLife for how long the record of the last token outlives a grant
 * @param replicas how many replicas have to acknowledge; 0 for none
 * @param replicaTimeout how long they are waited for
 */
public record RedisSettings(
        String keyPrefix, boolean plainKeys, Duration tokenLife, int replicas, Duration replicaTimeout) {

    private static final int MOST_REPLICAS = 1000;
    private static final Duration LEAST_TOKEN_LIFE = Duration.ofMinutes(1);
    private static final Duration MOST_TOKEN_LIFE = Duration.ofDays(365);
    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|)");

    public static final RedisSettings DEFAULTS =
            new RedisSettings(KeyNames.ROOT, false, ScriptTexts.TOKEN_LIFE, 0, Duration.ofMillis(500));

    public RedisSettings {
        KeyNames.root(keyPrefix);
        if (tokenLife.compareTo(LEAST_TOKEN_LIFE) < 0 || tokenLife.compareTo(MOST_TOKEN_LIFE) > 0) {
            throw new IllegalArgumentException("tokenLife must be " + DurationText.of(LEAST_TOKEN_LIFE) + " to "
                    + DurationText.of(MOST_TOKEN_LIFE) + ", but was " + DurationText.of(tokenLife));
        }
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
        return new RedisSettings(keyPrefix, true, tokenLife, replicas, replicaTimeout);
    }

    public RedisSettings withKeyPrefix(String prefix) {
        return new RedisSettings(prefix, plainKeys, tokenLife, replicas, replicaTimeout);
    }

    public RedisSettings withTokenLife(Duration life) {
        return new RedisSettings(keyPrefix, plainKeys, life, replicas, replicaTimeout);
    }

    public RedisSettings withReplicas(int count, Duration timeout) {
        return new RedisSettings(keyPrefix, plainKeys, tokenLife, count, timeout);
    }

    /** Reads our options of a URI. */
    public static RedisSettings read(StoreUri uri) {
        Map<String, String> rest = new HashMap<>(uri.options());
        rest.remove(SeparatePassword.OPTION);
        rest.keySet().removeAll(Tls.OPTIONS);
        if (uri.scheme().endsWith("-sentinel")) {
            rest.keySet().removeAll(SeparatePassword.OF_SENTINELS);
        }
        RedisSettings settings = ofKeys(rest);
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
                            + "'; known are keyPrefix, keys, password, tokenLife, waitForReplicas, waitTimeout, tls.ca, tls.cert and tls.key, those of sentinels, and those of every store");
        }
        return settings;
    }

    /** Takes the options of keys out of those of a URI. */
    public static RedisSettings ofKeys(Map<String, String> options) {
        String prefix = options.remove("keyPrefix");
        RedisSettings settings = prefix == null ? DEFAULTS : DEFAULTS.withKeyPrefix(prefix);
        settings = settings.withTokenLife(duration("tokenLife", options.remove("tokenLife"), settings.tokenLife));
        String keys = options.remove("keys");
        if (keys == null) {
            return settings;
        }
        if (!keys.equals("plain")) {
            throw new IllegalArgumentException("option leasehold.keys can only be 'plain', but was '" + keys + "'");
        }
        return settings.withPlainKeys();
    }

    /** Reads a number with ms, s, m or h behind it; without, milliseconds. */
    public static Duration duration(String name, @Nullable String text, Duration otherwise) {
        if (text == null) {
            return otherwise;
        }
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "option leasehold." + name + " must be a duration such as 60s or 500ms, but was '" + text + "'");
        }
        long number = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofMillis(number);
        };
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "option leasehold." + name + " must be a whole number, but was '" + value + "'", e);
        }
    }

    public ScriptTexts texts() {
        return new ScriptTexts(tokenLife);
    }

    public KeyNames names(StoreContext context, boolean cluster) {
        return plainKeys ? KeyNames.plain(keyPrefix, cluster) : KeyNames.of(keyPrefix, context.namespace());
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
