package dev.leasehold.jdbc.connection;

import dev.leasehold.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Hides the passwords of a URL in its driver's failures. A driver that cannot take a URL apart puts a part of it into
 * a message.
 */
final class ShownPasswords {

    private static final Comparator<String> LONGEST_FIRST =
            Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder());

    private ShownPasswords() {}

    /** Returns the failure itself where no message of it shows a password, else one that says the same without. */
    static SQLException hidden(SQLException failure, String url) {
        NavigableSet<String> secrets = secrets(url);
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String message = String.valueOf(each.getMessage());
            if (secrets.stream().anyMatch(message::contains)) {
                return without(secrets, failure);
            }
        }
        return failure;
    }

    private static SQLException without(NavigableSet<String> secrets, SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        for (String secret : secrets) {
            message = message.replace(secret, "***");
        }
        return new SQLException(
                DriverConnections.REFUSED + ". The driver says: " + message,
                failure.getSQLState(),
                failure.getErrorCode());
    }

    /** Returns the passwords and their parts, but for what the URL shows without them. */
    private static NavigableSet<String> secrets(String url) {
        NavigableSet<String> found = new TreeSet<>(LONGEST_FIRST);
        String shown = new StoreUri("jdbc", url, Map.of()).toString();
        String[] others = shown.split("\\*\\*\\*", -1);
        int at = 0;
        for (int i = 1; i < others.length; i++) {
            at += others[i - 1].length();
            int end = others[i].isEmpty() ? url.length() : url.indexOf(others[i], at);
            String secret = url.substring(at, end);
            Stream.concat(Stream.of(secret, decoded(secret)), Stream.of(secret.split("[:/@#?&]")))
                    .filter(part -> part.length() > 1 && !shown.contains(part))
                    .forEach(found::add);
            at = end;
        }
        return found;
    }

    private static String decoded(String secret) {
        try {
            return URLDecoder.decode(secret, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return secret;
        }
    }
}
