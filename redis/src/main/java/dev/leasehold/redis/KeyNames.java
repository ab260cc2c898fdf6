package dev.leasehold.redis;

import org.jspecify.annotations.Nullable;

/**
 * What the keys of a lock are called: {@code leasehold:{NAME}} and, beside it, {@code …:token}, {@code …:queue} and
 * {@code …:waiters}. The braces make the keys of one lock live in one slot of a cluster; so a name's own braces, and the
 * percent sign that replaces them, are percent-encoded. A namespace has neither, nor a colon: no two pairs of namespace
 * and name share a key.
 */
final class KeyNames {

    private static final String ROOT = "leasehold:";
    private static final String QUEUE = ":queue";

    private final String prefix;

    KeyNames(String namespace) {
        prefix = namespace.isEmpty() ? ROOT : ROOT + namespace + ':';
    }

    String lock(String name) {
        return prefix + '{' + encoded(name) + '}';
    }

    static String token(String lock) {
        return lock + ":token";
    }

    static String queue(String lock) {
        return lock + QUEUE;
    }

    static String waiters(String lock) {
        return lock + ":waiters";
    }

    /** What the channel of a client begins with; its id follows. */
    String inboxPrefix() {
        return prefix + "inbox:";
    }

    /** A glob that all keys of the namespace match, and perhaps others. */
    String everyKey() {
        return prefix + "{*}*";
    }

    /** The lock to whose value or queue a key belongs, or null if it is another key. */
    @Nullable String nameOf(String key) {
        String rest = key.endsWith(QUEUE) ? key.substring(0, key.length() - QUEUE.length()) : key;
        if (!rest.startsWith(prefix + '{') || !rest.endsWith("}")) {
            return null;
        }
        String name = rest.substring(prefix.length() + 1, rest.length() - 1);
        return name.indexOf('{') >= 0 || name.indexOf('}') >= 0 ? null : decoded(name);
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
