package dev.leasehold.redis;

import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.SeparatePassword;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Redlock options are those of a quorum, apart from its masters' addresses.
 *
 * @param maxLease the longest lease of any of its clients
 * @param nodeTimeout how long one master's answer is waited for
 * @param plainKeys whether the key of a lock is its bare name, shared with other clients of the published algorithm
 * @param trustPersistence whether a master that was restarted keeps its vote
 * @param gated see {@link QuorumSettings}
 */
record RedlockOptions(
        Duration maxLease, Duration nodeTimeout, boolean plainKeys, boolean trustPersistence, boolean gated) {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|)");
    private static final Duration LEAST_LEASE = Duration.ofMillis(100);
    private static final Duration MOST_LEASE = Duration.ofDays(7);
    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(10);

    static final RedlockOptions DEFAULTS =
            new RedlockOptions(QuorumSettings.MAX_LEASE, QuorumSettings.NODE_TIMEOUT, false, false);

    RedlockOptions {
        within("maxLeaseDuration", maxLease, LEAST_LEASE, MOST_LEASE);
        within("nodeTimeout", nodeTimeout, Duration.ofMillis(1), MOST_TIMEOUT);
    }

    RedlockOptions(Duration maxLease, Duration nodeTimeout, boolean plainKeys, boolean trustPersistence) {
        this(maxLease, nodeTimeout, plainKeys, trustPersistence, true);
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
        String keys = rest.remove("keys");
        if (keys != null && !keys.equals("plain")) {
            throw new IllegalArgumentException("option leasehold.keys can only be 'plain', but was '" + keys + "'");
        }
        String trust = rest.remove("trustPersistence");
        if (trust != null && !trust.equals("true") && !trust.equals("false")) {
            throw new IllegalArgumentException(
                    "option leasehold.trustPersistence must be true or false, but was '" + trust + "'");
        }
        RedlockOptions options = new RedlockOptions(
                duration("maxLeaseDuration", rest.remove("maxLeaseDuration"), DEFAULTS.maxLease),
                duration("nodeTimeout", rest.remove("nodeTimeout"), DEFAULTS.nodeTimeout),
                keys != null,
                Boolean.parseBoolean(trust));
        for (String option : rest.keySet()) {
            throw new IllegalArgumentException(
                    "unknown option leasehold." + option + " in '" + uri
                            + "'; known are maxLeaseDuration, nodeTimeout, keys, trustPersistence and tls.ca, tls.cert, tls.key, and those of every store");
        }
        return options;
    }

    /** Reads a number with ms, s, m or h behind it; without, milliseconds. */
    private static Duration duration(String name, @Nullable String text, Duration otherwise) {
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

    MarkerRules marker() {
        return new MarkerRules(maxLease, trustPersistence);
    }
}
