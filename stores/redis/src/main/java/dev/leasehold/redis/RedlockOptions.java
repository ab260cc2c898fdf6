package dev.leasehold.redis;

import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.SeparatePassword;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.script.ScriptTexts;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Redlock options are those of a quorum, apart from its masters' addresses.
 *
 * @param maxLease the longest lease of any of its clients
 * @param nodeTimeout how long one master's answer is waited for
 * @param settings those that each master shares with a single Redis
 * @param trustPersistence whether a master that was restarted keeps its vote
 * @param gated see {@link QuorumSettings}
 */
record RedlockOptions(
        Duration maxLease, Duration nodeTimeout, RedisSettings settings, boolean trustPersistence, boolean gated) {

    private static final Duration LEAST_LEASE = Duration.ofMillis(100);
    private static final Duration MOST_LEASE = Duration.ofDays(7);
    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(10);

    static final RedlockOptions DEFAULTS = new RedlockOptions(
            QuorumSettings.MAX_LEASE, QuorumSettings.NODE_TIMEOUT, RedisSettings.DEFAULTS, false, true);

    RedlockOptions {
        within("maxLeaseDuration", maxLease, LEAST_LEASE, MOST_LEASE);
        within("nodeTimeout", nodeTimeout, Duration.ofMillis(1), MOST_TIMEOUT);
        // A master accepts tokens as far from its clock as half of the longest lease (MarkerRules.halfMicros), a day at
        // most.
        if (settings.tokenLife().compareTo(ScriptTexts.TOKEN_LIFE) < 0
                && settings.tokenLife().compareTo(maxLease) < 0) {
            throw new IllegalArgumentException("tokenLife must not be below the maxLeaseDuration of "
                    + DurationText.of(maxLease) + ", but was " + DurationText.of(settings.tokenLife()));
        }
    }

    RedlockOptions withMaxLease(Duration duration) {
        return new RedlockOptions(duration, nodeTimeout, settings, trustPersistence, gated);
    }

    RedlockOptions withNodeTimeout(Duration duration) {
        return new RedlockOptions(maxLease, duration, settings, trustPersistence, gated);
    }

    RedlockOptions with(RedisSettings changed) {
        return new RedlockOptions(maxLease, nodeTimeout, changed, trustPersistence, gated);
    }

    RedlockOptions withTrust(boolean trust) {
        return new RedlockOptions(maxLease, nodeTimeout, settings, trust, gated);
    }

    RedlockOptions withoutGate() {
        return new RedlockOptions(maxLease, nodeTimeout, settings, trustPersistence, false);
    }

    private static void within(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " must be " + DurationText.of(least) + " to "
                    + DurationText.of(most) + ", but was " + DurationText.of(value));
        }
    }

    static RedlockOptions read(StoreUri uri) {
        Map<String, String> rest = new HashMap<>(uri.options());
        rest.remove(SeparatePassword.OPTION);
        rest.keySet().removeAll(Tls.OPTIONS);
        RedisSettings settings = RedisSettings.ofKeys(rest);
        String trust = rest.remove("trustPersistence");
        if (trust != null && !trust.equals("true") && !trust.equals("false")) {
            throw new IllegalArgumentException(
                    "option leasehold.trustPersistence must be true or false, but was '" + trust + "'");
        }
        RedlockOptions options = new RedlockOptions(
                RedisSettings.duration("maxLeaseDuration", rest.remove("maxLeaseDuration"), DEFAULTS.maxLease),
                RedisSettings.duration("nodeTimeout", rest.remove("nodeTimeout"), DEFAULTS.nodeTimeout),
                settings,
                Boolean.parseBoolean(trust),
                true);
        for (String option : rest.keySet()) {
            throw new IllegalArgumentException(
                    "unknown option leasehold." + option + " in '" + uri
                            + "'; known are maxLeaseDuration, nodeTimeout, keyPrefix, keys, tokenLife, trustPersistence and tls.ca, tls.cert, tls.key, and those of every store");
        }
        return options;
    }

    MarkerRules marker() {
        return new MarkerRules(maxLease, trustPersistence, settings.keyPrefix());
    }
}
