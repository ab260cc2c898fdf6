package dev.leasehold.redis.connection;

import dev.leasehold.spi.StoreUri;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** RedisUris reads the URIs of one Redis, and names them without credentials. */
public final class RedisUris {

    private static final Set<String> OPTIONS = Set.of(
            "timeout", "database", "clientname", "libraryname", "libraryversion", "verifypeer", "sentinelmasterid");

    private static final String ENCODE =
            ". A password in a URI has to be encoded (/ is %2F, @ is %40, # is %23, ? is %3F, a comma is %2C), or pass it apart,"
                    + " with --store-password-file or Map.of(\"password\", …)";

    private RedisUris() {}

    /** Reads a URI of one or, separated by commas, several hosts. Those of a Sentinel URI are one: it names one master. */
    public static List<RedisURI> read(StoreUri uri) {
        checkQuery(uri);
        String objection = SeparatePassword.objection(uri);
        if (objection != null) {
            throw new IllegalArgumentException(objection);
        }
        try {
            List<RedisURI> all = new ArrayList<>();
            checkUserInfo(uri);
            for (String one : split(uri)) {
                RedisURI read = RedisURI.create(one);
                if (read.getSentinels().isEmpty()) {
                    checkHost(read);
                }
                SeparatePassword.apply(uri, read);
                SeparatePassword.applyToSentinels(uri, read);
                all.add(read);
            }
            return all;
        } catch (RuntimeException e) {
            // The cause is left out on purpose: its message may show the password.
            throw new IllegalArgumentException("'" + uri + "' is no URI of a Redis: write "
                    + "redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss://… for TLS, redis://HOST1,HOST2 for a master with "
                    + "replicas, redis-sentinel://PASSWORD@HOST1,HOST2/DATABASE#MASTER, or redis-cluster://HOST1,HOST2"
                    + hint(uri));
        }
    }

    /** Reads a URI of independent masters: each with what it needs of its own. */
    public static List<RedisURI> readQuorum(StoreUri uri) {
        String text = uri.text();
        int begin = text.indexOf("://") + 3;
        int question = text.indexOf('?');
        String query = question < 0 ? "" : text.substring(question);
        String scheme = uri.scheme().equals("redlocks") ? "rediss://" : "redis://";
        checkQuery(uri);
        try {
            List<RedisURI> all = new ArrayList<>();
            for (String one : text.substring(begin, question < 0 ? text.length() : question)
                    .split(",", -1)) {
                boolean whole = one.startsWith("redis://") || one.startsWith("rediss://");
                StoreUri master = new StoreUri(uri.scheme(), (whole ? "" : scheme) + one + query, uri.options());
                checkUserInfo(master);
                RedisURI read = RedisURI.create(master.text());
                // One that has a password of its own keeps it.
                if (SeparatePassword.objection(master) == null) {
                    SeparatePassword.apply(master, read);
                }
                checkHost(read);
                all.add(read);
            }
            return all;
        } catch (RuntimeException e) {
            // The cause is left out on purpose: its message may show the password.
            throw new IllegalArgumentException("'" + uri + "' is no URI of a quorum: write "
                    + "redlock://HOST1,HOST2,HOST3, each as USER:PASSWORD@HOST:PORT/DATABASE where needed or, with TLS, as "
                    + "rediss://USER:PASSWORD@HOST:PORT; redlocks:// if all have TLS"
                    + hint(uri));
        }
    }

    private static String hint(StoreUri uri) {
        return uri.text().indexOf('@') < 0 ? "" : ENCODE;
    }

    /** What stands before a character that is not encoded would be taken for a host and its port. */
    private static void checkUserInfo(StoreUri uri) {
        String text = uri.text();
        int end = text.indexOf("://") + 3;
        while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        // The name of a Sentinel's master may have any character, as may an option's value.
        int rest = uri.scheme().endsWith("-sentinel") ? text.indexOf('#', end) : -1;
        int question = text.indexOf('?', end);
        int stop = rest < 0 ? question : question < 0 ? rest : Math.min(rest, question);
        if (text.substring(end, stop < 0 ? text.length() : stop).indexOf('@') >= 0) {
            throw new IllegalArgumentException("a password is not encoded");
        }
    }

    /** Lettuce takes what it cannot make sense of, a port that is no number among it, for a part of the host's name. */
    private static void checkHost(RedisURI read) {
        String host = read.getHost();
        if (host == null || host.isEmpty() || (host.indexOf(':') >= 0 && !host.startsWith("["))) {
            throw new IllegalArgumentException("it names no host");
        }
    }

    private static List<String> split(StoreUri uri) {
        String text = uri.text();
        if (uri.scheme().endsWith("-sentinel")) {
            return List.of(text);
        }
        int begin = text.indexOf("://") + 3;
        int end = begin;
        while (begin > 2 && end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        String authority = text.substring(begin, end);
        int at = authority.lastIndexOf('@');
        String scheme = uri.scheme().startsWith("rediss") ? "rediss://" : "redis://";
        List<String> each = new ArrayList<>();
        for (String host : authority.substring(at + 1).split(",", -1)) {
            each.add(scheme + authority.substring(0, at + 1) + host + text.substring(end));
        }
        return each;
    }

    public static String name(String scheme, List<RedisURI> uris) {
        String all = uris.stream().map(RedisUris::address).collect(Collectors.joining(","));
        int database = uris.get(0).getDatabase();
        return scheme + "://" + all + (database == 0 ? "" : "/" + database);
    }

    private static void checkQuery(StoreUri uri) {
        int question = uri.text().indexOf('?');
        if (question < 0) {
            return;
        }
        String query = uri.text().substring(question + 1);
        int hash = query.indexOf('#');
        for (String part : (hash < 0 ? query : query.substring(0, hash)).split("&", -1)) {
            int equals = part.indexOf('=');
            String option = equals < 0 ? part : part.substring(0, equals);
            boolean known = OPTIONS.contains(option.toLowerCase(Locale.ROOT));
            if (!known && query.indexOf('@') >= 0) {
                // It is not shown: it may be a part of the password.
                throw new IllegalArgumentException("what stands behind the question mark in this URI of " + uri.scheme()
                        + ":// is no option" + ENCODE);
            }
            if (!known) {
                throw new IllegalArgumentException(
                        "unknown option '" + option + "' in '" + uri + "'; known are timeout, "
                                + "database, clientName, libraryName, libraryVersion, verifyPeer, sentinelMasterId");
            }
        }
    }

    public static String name(RedisURI uri) {
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        if (!uri.getSentinels().isEmpty()) {
            return uri.getSentinels().stream()
                    .map(RedisUris::address)
                    .collect(Collectors.joining(",", "redis-sentinel://", database + "#" + uri.getSentinelMasterId()));
        }
        return (uri.isSsl() ? "rediss://" : "redis://") + address(uri) + database;
    }

    /** Returns the same Sentinel URI with one of its sentinels alone. */
    public static RedisURI ofSentinel(RedisURI all, RedisURI sentinel) {
        return RedisURI.builder(all)
                .withSentinel(sentinel)
                .withSentinelMasterId(all.getSentinelMasterId())
                .build();
    }

    /** Names a server where it is clear that it is a Redis. */
    public static String place(RedisURI uri) {
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        return (uri.isSsl() ? "rediss://" : "") + address(uri) + database;
    }

    private static String address(RedisURI uri) {
        String host = uri.getHost();
        return (host != null && host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host) + ":"
                + uri.getPort();
    }
}
