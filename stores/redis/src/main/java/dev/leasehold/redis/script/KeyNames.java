package dev.leasehold.redis.script;

import dev.leasehold.LockException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Key names are the names of a lock's keys: {@code leasehold:{NAME}} and, beside it, {@code …:token} and {@code …:queue}.
 * The braces make the keys of one lock live in one slot of a cluster; so a name's own braces, and the percent sign that
 * replaces them, are percent-encoded. A namespace has neither, nor a colon: no two pairs of namespace and name share a key.
 *
 * <p>With plain keys the lock's key is the bare name. The keys beside it are ours alone, begins with {@code
 * leasehold:(plain):}, which is no namespace, and has the bare name between its braces: a cluster then counts the same
 * slot for all three, unless the name has braces, and such names are refused there. Names that begin with {@code
 * leasehold:} are refused, too: they could be the keys of other locks.
 *
 * <p>A client may be given another root than {@code leasehold:}. It keeps to the characters that mean nothing in a glob, in a
 * hash tag and in a rule of rights.
 */
public final class KeyNames {

    /** The root of all keys and channels, unless a client is given another. */
    public static final String ROOT = "leasehold:";

    private static final Pattern POSSIBLE_ROOT = Pattern.compile("[A-Za-z0-9._:/-]{1,200}");
    private static final String TOKEN = ":token";
    private static final String QUEUE = ":queue";

    private final String root;
    private final String prefix;
    private final boolean plain;
    private final boolean cluster;

    private KeyNames(String root, String inRoot, boolean plain, boolean cluster) {
        this.root = root;
        this.prefix = root + inRoot;
        this.plain = plain;
        this.cluster = cluster;
    }

    /**
     * Returns the root, if it can be one.
     *
     * @throws IllegalArgumentException if not
     */
    public static String root(String prefix) {
        if (!POSSIBLE_ROOT.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "a prefix of keys has 1 to 200 letters, digits or characters of '._:/-', but this was '" + prefix
                            + "'");
        }
        return prefix;
    }

    /** Returns the names of keys of our own, in a namespace or, where that is empty, in none. */
    public static KeyNames of(String root, String namespace) {
        return new KeyNames(root, namespace.isEmpty() ? "" : namespace + ':', false, false);
    }

    /** Returns the names of keys that are bare names of locks. */
    public static KeyNames plain(String root, boolean cluster) {
        return new KeyNames(root, "(plain):", true, cluster);
    }

    /** Returns what all keys beside the locks' own, and all channels, begin with. */
    public String root() {
        return root;
    }

    /**
     * Returns the lock's own key.
     *
     * @throws LockException if the name cannot be a key
     */
    public String lock(String name) {
        if (!plain) {
            return beside(name);
        }
        for (String taken : List.of(ROOT, root)) {
            if (name.startsWith(taken)) {
                throw refused(name, "begins with '" + taken + "', where Leasehold keeps its own keys");
            }
        }
        if (cluster && (name.indexOf('{') >= 0 || name.indexOf('}') >= 0)) {
            throw refused(name, "has a brace, and in a cluster those say where a key lives");
        }
        return name;
    }

    private static LockException refused(String name, String why) {
        return new LockException("'" + name + "' cannot be a lock's name with leasehold.keys=plain: it " + why
                + "; nothing was done. Choose another name");
    }

    /** Returns the prefix of the keys beside the lock's. */
    String beside(String name) {
        return prefix + '{' + (plain ? name : encoded(name)) + '}';
    }

    static String token(String beside) {
        return beside + TOKEN;
    }

    static String queue(String beside) {
        return beside + QUEUE;
    }

    /** Returns the prefix of a client's channel; the client's id follows. */
    public String inboxPrefix() {
        return prefix + "inbox:";
    }

    /** Returns a glob that all keys of the namespace match, and perhaps others; not the bare names. */
    public String everyKey() {
        return prefix + "{*}*";
    }

    /**
     * Returns the lock that a key belongs to, if the key shows that it may be in use; otherwise null. Such keys are its
     * queue and its value, or its token where the value is under the bare name.
     */
    public @Nullable String nameOf(String key) {
        String suffix = key.endsWith(QUEUE) ? "}" + QUEUE : plain ? "}" + TOKEN : "}";
        if (!key.startsWith(prefix + '{') || !key.endsWith(suffix)) {
            return null;
        }
        String name = key.substring(prefix.length() + 1, key.length() - suffix.length());
        if (plain) {
            return name;
        }
        return name.indexOf('{') >= 0 || name.indexOf('}') >= 0 ? null : decoded(name);
    }

    /** Returns whether locks may be held by clients other than Leasehold's. */
    public boolean arePlain() {
        return plain;
    }

    private static String encoded(String name) {
        if (name.indexOf('%') < 0 && name.indexOf('{') < 0 && name.indexOf('}') < 0) {
            return name;
        }
        return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }

    private static String decoded(String name) {
        return name.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }
}
