package dev.leasehold.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store URI is the URI of a store, parsed: its scheme, and the options {@code leasehold.NAME=VALUE} of its query, which
 * are ours, removed from the rest, which belongs to the store.
 *
 * @param scheme what stands before the first colon, in lower case
 * @param text the URI without our options
 * @param options our options, without the prefix {@code leasehold.}, percent-decoded
 */
public record StoreUri(String scheme, String text, Map<String, String> options) {

    private static final String PREFIX = "leasehold.";
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");

    private static final Pattern OPTION = Pattern.compile("[?&;][\\w.-]+=");
    private static final Pattern OUR_OPTION = Pattern.compile("[?&]leasehold\\.");
    private static final Pattern IPV6 = Pattern.compile("\\[[^\\]]*]");
    private static final Pattern NO_PORT = Pattern.compile("^[^/]*:(?!\\d*+(?:[,/]|$))");
    private static final Pattern SECRET_OPTION = Pattern.compile(
            "([?&;,(][\\w.-]*(?:password[1-3]?|passwd|pwd|passphrase|secret|token)=)[^&;)]*", Pattern.CASE_INSENSITIVE);

    /** Makes the options unmodifiable. */
    public StoreUri {
        options = Map.copyOf(options);
    }

    /**
     * Takes a URI apart.
     *
     * @param uri the URI
     * @return its parts
     * @throws IllegalArgumentException if it has no scheme, or one of our options is given twice or malformed
     */
    public static StoreUri parse(String uri) {
        int colon = uri.indexOf(':');
        if (colon < 0 || !SCHEME.matcher(uri.substring(0, colon)).matches()) {
            throw new IllegalArgumentException("'" + redact(uri)
                    + "' is not a store URI: it must begin with a scheme, for example sqlite:/var/lib/app/locks.db");
        }
        String scheme = uri.substring(0, colon).toLowerCase(java.util.Locale.ROOT);
        // Elsewhere a # is a part of a path, or of an option's value.
        int hash = scheme.endsWith("-sentinel") ? uri.lastIndexOf('#') : -1;
        if (hash < 0) {
            return parse(scheme, uri, "");
        }
        int end = uri.indexOf('?', hash) < 0 ? uri.length() : uri.indexOf('?', hash);
        return parse(scheme, uri.substring(0, hash) + uri.substring(end), uri.substring(hash, end));
    }

    private static StoreUri parse(String scheme, String uri, String fragment) {
        int question = uri.indexOf('?');
        if (question < 0) {
            return new StoreUri(scheme, uri + fragment, Map.of());
        }
        Map<String, String> ours = new LinkedHashMap<>();
        List<String> theirs = new ArrayList<>();
        for (String part : uri.substring(question + 1).split("&", -1)) {
            if (!part.startsWith(PREFIX)) {
                theirs.add(part);
                continue;
            }
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException(
                        "option '" + part + "' in '" + redact(uri) + "' has no value: write " + part + "=VALUE");
            }
            String name = part.substring(PREFIX.length(), equals);
            if (ours.put(name, decoded(name, part.substring(equals + 1))) != null) {
                throw new IllegalArgumentException(
                        "option '" + PREFIX + name + "' is given twice in '" + redact(uri) + "'");
            }
        }
        String rest = String.join("&", theirs);
        return new StoreUri(scheme, uri.substring(0, question) + (rest.isEmpty() ? "" : "?" + rest) + fragment, ours);
    }

    /** Decodes percent signs. A plus stays a plus: this is a URI, not a form. */
    private static String decoded(String name, String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "option '" + PREFIX + name + "' is not percent-encoded: write a percent sign as %25", e);
        }
    }

    /**
     * Returns whether a URI seems to contain a password; in doubt it says yes.
     *
     * @param uri the URI, as text
     * @return whether it would be shown with something left out
     */
    public static boolean hasPassword(String uri) {
        return !redact(uri).equals(uri);
    }

    /** {@return the URI as it may be shown to people and written to logs, without passwords} */
    @Override
    public String toString() {
        return redact(text);
    }

    private static String redact(String uri) {
        return SECRET_OPTION.matcher(redactUserInfo(uri)).replaceAll("$1***");
    }

    /**
     * Hides the password of {@code user:password@host}, up to the last {@code @} before the options begin: so a character
     * that should have been percent-encoded does not show it. It hides rather too much than too little.
     */
    private static String redactUserInfo(String uri) {
        int slashes = uri.indexOf("://");
        if (slashes < 0) {
            return uri;
        }
        Matcher option = (uri.startsWith("red") ? OUR_OPTION : OPTION).matcher(uri);
        int end = option.find(slashes) ? option.start() : uri.length();
        String servers = IPV6.matcher(uri.substring(slashes + 3, end)).replaceAll("");
        if (servers.indexOf('@') < 0 && NO_PORT.matcher(servers).find()) {
            end = uri.length(); // A password that looks as if options began in it.
        }
        int at = uri.lastIndexOf('@', end - 1);
        int colon = uri.indexOf(':', slashes + 1);
        // A Redis takes one word there for its password.
        if (at > slashes && uri.startsWith("red") && (colon < 0 || at < colon)) {
            return uri.substring(0, slashes + 3) + "***" + uri.substring(at);
        }
        return colon < 0 || at < colon ? uri : uri.substring(0, colon + 1) + "***" + uri.substring(at);
    }
}
