package dev.leasehold.redis.connection;

import dev.leasehold.spi.StoreUri;
import io.lettuce.core.RedisURI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A separate password is given beside the URI, as the option {@code leasehold.password}. Then what stands in the URI before
 * the {@code @} is the name of the user, where it would be the password otherwise.
 */
public final class SeparatePassword {

    public static final String OPTION = "password";

    /** Sentinels may want a user and password of their own. */
    public static final Set<String> OF_SENTINELS = Set.of("sentinelUser", "sentinelPassword");

    private SeparatePassword() {}

    /** Returns why the two do not go together, or null if they do. */
    static @Nullable String objection(StoreUri uri) {
        String user = userInfo(uri);
        boolean twice = uri.options().containsKey(OPTION) && user.indexOf(':') >= 0 && !user.endsWith(":");
        return twice ? "the password is given twice: in '" + uri + "' and beside it" : null;
    }

    static void apply(StoreUri uri, RedisURI to) {
        String password = uri.options().get(OPTION);
        if (password == null) {
            return;
        }
        String user = userInfo(uri);
        String name = user.endsWith(":") ? user.substring(0, user.length() - 1) : user;
        if (name.isEmpty()) {
            to.setAuthentication(password.toCharArray());
        } else {
            String decoded = URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
            to.setAuthentication(decoded, password.toCharArray());
        }
    }

    static void applyToSentinels(StoreUri uri, RedisURI to) {
        String user = uri.options().get("sentinelUser");
        String password = uri.options().get("sentinelPassword");
        if (password == null) {
            if (user != null) {
                throw new IllegalArgumentException("a sentinelUser needs a sentinelPassword");
            }
            return;
        }
        for (RedisURI sentinel : to.getSentinels()) {
            if (user == null) {
                sentinel.setAuthentication(password.toCharArray());
            } else {
                sentinel.setAuthentication(user, password.toCharArray());
            }
        }
    }

    private static String userInfo(StoreUri uri) {
        String text = uri.text();
        int begin = text.indexOf("://") + 3;
        int end = begin;
        while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        int at = text.lastIndexOf('@', end);
        return begin > 2 && at > begin ? text.substring(begin, at) : "";
    }
}
