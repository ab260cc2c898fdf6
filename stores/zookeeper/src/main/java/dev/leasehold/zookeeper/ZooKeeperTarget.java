package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;

/**
 * A ZooKeeper target is the ensemble to connect to, and how, read from {@code
 * zookeeper://USER:PASSWORD@HOST1:PORT,HOST2/PATH}, or from {@code zookeeper://USER@…} and the option {@code
 * leasehold.password} beside it.
 *
 * @param servers as ZooKeeper writes them, without a path
 * @param base the path under which everything lies; empty, or without a slash at its end
 * @param sessionTimeout what is asked for; the servers may agree to less or more
 * @param credentials {@code user:password} for the digest scheme, or null
 * @param settings properties of ZooKeeper's client: TLS, SASL
 */
record ZooKeeperTarget(
        String servers,
        String base,
        Duration sessionTimeout,
        @Nullable String credentials,
        Map<String, String> settings) {

    private static final String SCHEME = "zookeeper://";
    private static final String DEFAULT_PORT = "2181";
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(30);
    private static final long LEAST_MILLIS = 100;
    private static final long MOST_MILLIS = 3_600_000;
    /** An answer has the names of all locks, or of all who wait for one: with the usual 1 MB it breaks the connection. */
    private static final String MOST_ANSWERED = Integer.toString(16 << 20);

    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?");
    private static final Pattern STEP = Pattern.compile("[\\x21-\\x7e&&[^/?#]]+");

    private static final String KEY_STORE = "zookeeper.ssl.keyStore.location";

    private static final String SASL_CONTEXT = ZKClientConfig.LOGIN_CONTEXT_NAME_KEY;

    /** These options of ours stand for properties of ZooKeeper's client. */
    private static final Map<String, String> SETTINGS = Map.of(
            "keyStore", KEY_STORE,
            "keyStorePassword", "zookeeper.ssl.keyStore.password",
            "trustStore", "zookeeper.ssl.trustStore.location",
            "trustStorePassword", "zookeeper.ssl.trustStore.password",
            "saslContext", SASL_CONTEXT,
            "fipsMode", "zookeeper.fips-mode");

    static ZooKeeperTarget read(StoreUri uri) {
        String text = uri.text();
        if (!text.startsWith(SCHEME)) {
            throw malformed(uri, "it does not begin with zookeeper://");
        }
        int question = text.indexOf('?');
        if (question >= 0) {
            throw new IllegalArgumentException("unknown option in '" + uri + "': options of a ZooKeeper store are "
                    + "leasehold.sessionTimeout, leasehold.tls, leasehold.keyStore, leasehold.keyStorePassword, "
                    + "leasehold.trustStore, leasehold.trustStorePassword, leasehold.saslContext, "
                    + "leasehold.fipsMode, leasehold.password");
        }
        String rest = text.substring(SCHEME.length());
        Map<String, String> options = new HashMap<>(uri.options());
        int at = rest.lastIndexOf('@');
        String credentials = credentials(uri, at < 0 ? null : rest.substring(0, at), options.remove("password"));
        rest = rest.substring(at + 1);
        int slash = rest.indexOf('/');
        String hosts = slash < 0 ? rest : rest.substring(0, slash);
        String base = base(uri, slash < 0 ? "" : rest.substring(slash));
        Duration timeout = timeout(uri, options.remove("sessionTimeout"));
        Map<String, String> settings = settings(uri, options);
        return new ZooKeeperTarget(servers(uri, hosts), base, timeout, credentials, settings);
    }

    private static String servers(StoreUri uri, String hosts) {
        List<String> servers = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            if (!HOST.matcher(host).matches()) {
                throw malformed(uri, "'" + host + "' is no host with or without a port");
            }
            boolean port = host.endsWith("]") ? false : host.lastIndexOf(':') > host.lastIndexOf(']');
            servers.add(port ? host : host + ":" + DEFAULT_PORT);
        }
        return String.join(",", servers);
    }

    private static String base(StoreUri uri, String path) {
        String base = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        if (base.isEmpty()) {
            return base;
        }
        for (String step : base.substring(1).split("/", -1)) {
            if (!STEP.matcher(step).matches() || step.equals(".") || step.equals("..")) {
                throw malformed(uri, "'" + path + "' is no path of a node");
            }
        }
        if (base.equals("/zookeeper") || base.startsWith("/zookeeper/")) {
            throw malformed(uri, "/zookeeper belongs to the servers");
        }
        return base;
    }

    /** Returns user and password, the latter from the URI or from beside it: there is never a choice of two. */
    private static @Nullable String credentials(StoreUri uri, @Nullable String userInfo, @Nullable String beside) {
        if (beside != null) {
            return user(uri, userInfo == null ? "" : userInfo) + ':' + beside;
        }
        return userInfo == null ? null : userAndPassword(uri, userInfo);
    }

    /** Returns the name of the user whose password is given beside the URI. */
    private static String user(StoreUri uri, String userInfo) {
        int colon = userInfo.indexOf(':');
        if (colon >= 0 && colon < userInfo.length() - 1) {
            throw new IllegalArgumentException("the password is given twice: in '" + uri + "' and beside it");
        }
        String user = decoded(uri, colon < 0 ? userInfo : userInfo.substring(0, colon));
        if (user.isEmpty()) {
            throw new IllegalArgumentException("a password is given beside '" + uri
                    + "', which names no user for it: write " + "zookeeper://USER@HOST1:PORT,HOST2:PORT/PATH");
        }
        // The servers end the user's name at the first colon; and an @ after a slash belongs to a path.
        if (user.indexOf(':') >= 0 || userInfo.indexOf('/') >= 0) {
            throw malformed(uri, "what stands before the @ is no name of a user");
        }
        return user;
    }

    private static String userAndPassword(StoreUri uri, String userInfo) {
        if (userInfo.indexOf(':') < 1) {
            throw malformed(uri, "what stands before the @ is not USER:PASSWORD, and no password is given beside it");
        }
        return decoded(uri, userInfo);
    }

    private static String decoded(StoreUri uri, String userInfo) {
        try {
            return URLDecoder.decode(userInfo.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw malformed(uri, "user and password are not percent-encoded: write a percent sign as %25");
        }
    }

    private static Duration timeout(StoreUri uri, @Nullable String millis) {
        if (millis == null) {
            return SESSION_TIMEOUT;
        }
        try {
            long value = Long.parseLong(millis);
            if (value >= LEAST_MILLIS && value <= MOST_MILLIS) {
                return Duration.ofMillis(value);
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw malformed(
                uri,
                "leasehold.sessionTimeout must be " + LEAST_MILLIS + " to " + MOST_MILLIS + " (milliseconds), but was '"
                        + millis + "'");
    }

    private static Map<String, String> settings(StoreUri uri, Map<String, String> options) {
        Map<String, String> settings = new HashMap<>();
        String tls = options.remove("tls");
        if (tls != null && !tls.equals("true") && !tls.equals("false")) {
            throw malformed(uri, "leasehold.tls must be true or false, but was '" + tls + "'");
        }
        if ("true".equals(tls)) {
            settings.put(ZKClientConfig.SECURE_CLIENT, "true");
            settings.put(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
        }
        options.forEach((option, value) -> {
            String property = SETTINGS.get(option);
            if (property == null) {
                throw new IllegalArgumentException("unknown option leasehold." + option + " in '" + uri + "'");
            }
            settings.put(property, value);
        });
        return Map.copyOf(settings);
    }

    private static IllegalArgumentException malformed(StoreUri uri, String why) {
        return new IllegalArgumentException("'" + uri + "' is no URI of a ZooKeeper ensemble: " + why
                + "; write zookeeper://USER:PASSWORD@HOST1:PORT,HOST2:PORT/PATH");
    }

    boolean isEncrypted() {
        return settings.containsKey(ZKClientConfig.SECURE_CLIENT);
    }

    /** Returns whether sessions are to have an identity: by digest, client certificate or SASL. */
    boolean isAuthenticated() {
        return credentials != null
                || settings.containsKey(KEY_STORE)
                || settings.containsKey(SASL_CONTEXT)
                || System.getProperty("java.security.auth.login.config") != null;
    }

    ZKClientConfig clientConfig() {
        ZKClientConfig config = new ZKClientConfig();
        settings.forEach(config::setProperty);
        if (config.getProperty(ZKConfig.JUTE_MAXBUFFER) == null) {
            config.setProperty(ZKConfig.JUTE_MAXBUFFER, MOST_ANSWERED);
        }
        return config;
    }

    /** Returns the address without credentials, for people. */
    @Override
    public String toString() {
        return SCHEME + servers + base;
    }
}
