package dev.leasehold.redis.quorum;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A marker is that of a master, as the master has reported it (see {@code marker.lua}). Immutable.
 *
 * @param text the whole of it
 * @param run the id of the server's run
 */
public record Marker(String text, String run) {

    private static final Pattern FORM = Pattern.compile("leasehold\\|1\\|([0-9a-f]+)-[0-9a-f]+\\|\\d+\\|\\d+\\|\\d");

    public static Marker of(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not a marker: " + text);
        }
        return new Marker(text, parts.group(1));
    }
}
