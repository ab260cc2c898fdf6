package dev.leasehold.redis.connection;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * RedisFailures translates failures of Redis and Lettuce into Leasehold's exceptions, which say what went wrong, whether
 * another try may help, and what is known of the request.
 */
public final class RedisFailures {

    /** The server says that it cannot just now, and that it has done nothing. */
    private static final Set<String> PASSING = Set.of(
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "READONLY",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "NOREPLICAS",
            "OOM",
            "MISCONF",
            "NOSCRIPT");

    private static final Map<String, String> REMEDIES = Map.ofEntries(
            Map.entry(
                    "OOM",
                    "Redis is full: raise maxmemory or free some; locks that are held can be renewed and released"),
            Map.entry(
                    "NOPERM", "the user lacks a right: see docs/redis.md for the minimum rights that Leasehold needs"),
            Map.entry("NOAUTH", "the server wants a password: put user and password into the URI"),
            Map.entry("WRONGPASS", "user name or password are wrong, or the user is disabled"),
            Map.entry(
                    "WRONGTYPE",
                    "another program uses the key of this lock for something else: choose another name or namespace"),
            Map.entry(
                    "LEASEHOLD_LAYOUT",
                    "the key of this lock holds something that this version of Leasehold cannot read: another program "
                            + "uses it, or a newer version of Leasehold does; upgrade this one, or use another namespace"),
            Map.entry(
                    "LEASEHOLD_FOREIGN",
                    "no token names such a lease. Have that client release it; or, if its holder is certainly gone, delete "
                            + "the lock's key in Redis yourself"),
            Map.entry(
                    "LEASEHOLD_QUORUM",
                    "this quorum was set up with another maxLeaseDuration (the first number, in milliseconds) or another "
                            + "trustPersistence (the second, 1 for yes) than this client has: all clients of a quorum must "
                            + "have the same"),
            Map.entry(
                    "CROSSSLOT",
                    "this server is a node of a Redis Cluster, or spreads keys over several servers: use redis-cluster:// "
                            + "(in code: RedisStore.usingCluster), also if there is one node only; a quorum needs masters "
                            + "that are no cluster"),
            Map.entry(
                    "CLUSTERDOWN",
                    "a Redis Cluster does not serve all its slots; it is reached by redis-cluster:// only"),
            Map.entry("MOVED", "this server is a node of a cluster: use redis-cluster://"));

    private static final Pattern CODE = Pattern.compile("-?([A-Z][A-Z_]+)(?: .*)?", Pattern.DOTALL);

    // Redis before 7: "ERR Error running script (call to f_…): @user_script:9: @user_script: 9: -OOM command not
    // allowed …"
    private static final Pattern IN_SCRIPT =
            Pattern.compile("@?user_script: ?\\d+: ?-?(?:@?user_script: ?\\d+: ?)?-?([A-Z][A-Z_]+)");

    /** Netty's own resolver: "Failed to resolve 'redis-2' [A(1), AAAA(28)] after 2 queries". The JVM's says the name alone. */
    private static final Pattern UNRESOLVED = Pattern.compile("^Failed to resolve '([^']+)'");

    private RedisFailures() {}

    /** Returns the first word of a server's error, also where a script has wrapped it. */
    public static String code(RedisCommandExecutionException error) {
        String message = error.getMessage() == null ? "" : error.getMessage();
        // Redis before 7; Redis 8 and Valkey.
        if (message.contains("executing the script can't") || message.contains("ACL failure in script")) {
            return "NOPERM";
        }
        Matcher code = CODE.matcher(message);
        String first = code.matches() ? code.group(1) : "ERR";
        if (first.equals("ERR")) {
            Matcher inner = IN_SCRIPT.matcher(message);
            if (inner.find()) {
                first = inner.group(1);
            }
        }
        return first.equals("LEASEHOLD_TYPE") ? "WRONGTYPE" : first;
    }

    public static LockException of(Throwable failure, String node, String what) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof LockException known) {
            return known;
        }
        if (cause instanceof RedisConnection.LostException lost) {
            return lost.sent
                    ? unknown(node, what, lost.why, null)
                    : refused(node, what, "there is no connection: " + lost.why, null);
        }
        if (cause instanceof RedisCommandExecutionException error) {
            return error(error, node, what, false);
        }
        return unknown(node, what, String.valueOf(cause), cause);
    }

    /** The connection could not be made, so nothing was sent. */
    public static LockException ofConnecting(Throwable failure, String node, String what) {
        Throwable root = Causes.of(failure);
        String unfit = Causes.unfit(root, node);
        if (unfit != null) {
            return new LockException(unfit, root);
        }
        for (Throwable cause = root; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockException known) {
                return known;
            }
            if (cause instanceof NoMasterException none) {
                return refused(node, what, "no connection could be made: " + none.getMessage(), none);
            }
            if (cause instanceof RedisCommandExecutionException error) {
                return error(error, node, what, true);
            }
            if (cause instanceof TwoMastersException two) {
                return new StoreUnavailableException(
                        node + " was not asked for " + what + ": " + two.getMessage() + ". "
                                + TwoMastersException.REMEDY,
                        node,
                        Outcome.NOT_CARRIED_OUT,
                        two);
            }
            if (cause instanceof SSLHandshakeException) {
                return new LockException(
                        "no secure connection to " + node + " could be made, and nothing was sent: "
                                + cause.getMessage()
                                + "; check the server's certificate, its name, and that this JVM trusts who signed it",
                        root);
            }
        }
        return refused(node, what, "no connection could be made: " + why(root), root);
    }

    /** Returns whether a connection was made, and was closed before the server had said that it will serve it, or why not. */
    public static boolean isClosedInHandshake(Throwable failure) {
        Throwable deepest = deepest(failure);
        return deepest instanceof RedisConnectionException
                || (deepest instanceof SocketException && !(deepest instanceof ConnectException));
    }

    /** Where several servers were asked, their exception says more than its cause, which is that of one. */
    private static Throwable deepest(Throwable failure) {
        Throwable deepest = failure;
        while (deepest.getCause() != null && !(deepest instanceof NoMasterException)) {
            deepest = deepest.getCause();
        }
        return deepest;
    }

    /** Returns the root cause of a failure to connect. */
    public static String why(Throwable failure) {
        Throwable deepest = deepest(failure);
        if (deepest instanceof UnknownHostException) {
            Matcher name = UNRESOLVED.matcher(String.valueOf(deepest.getMessage()));
            return "no address for '" + (name.find() ? name.group(1) : deepest.getMessage()) + "'";
        }
        return deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
    }

    private static LockException error(
            RedisCommandExecutionException error, String node, String what, boolean connecting) {
        String code = code(error);
        String remedy = REMEDIES.get(code);
        String said = node + " refused " + what + ": " + error.getMessage() + (remedy == null ? "" : "; " + remedy);
        if (PASSING.contains(code)
                || (connecting
                        && code.equals("ERR")
                        && !String.valueOf(error.getMessage()).contains("unknown command"))) {
            return new StoreUnavailableException(
                    said + "; nothing was done",
                    node,
                    Outcome.NOT_CARRIED_OUT,
                    List.of(),
                    null,
                    code.equals("OOM"),
                    error);
        }
        return new LockException(said + "; the lock was not acquired", error);
    }

    private static LockException refused(String node, String what, String why, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                node + " could not be asked for " + what + ", and nothing was sent: " + why
                        + ". Check that it is running and reachable",
                node,
                Outcome.NOT_CARRIED_OUT,
                cause);
    }

    private static LockException unknown(String node, String what, String why, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                node + " did not answer " + what + ", which may have been carried out: " + why
                        + ". Check that it is running and reachable",
                node,
                Outcome.UNKNOWN,
                cause);
    }
}
