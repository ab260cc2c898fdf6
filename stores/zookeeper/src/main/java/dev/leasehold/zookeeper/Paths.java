package dev.leasehold.zookeeper;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Paths are those of Leasehold's nodes in the tree of ZooKeeper:
 *
 * <pre>
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/1-CLIENT-COUNTER-SEQUENCE       an exclusive claim
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/2-all-CLIENT-COUNTER-SEQUENCE   a reader's claim
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/2-N-CLIENT-COUNTER-SEQUENCE     the claim of a permit of N
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/2-read-CLIENT-COUNTER-SEQUENCE  an exclusive claim has become a reader's
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/1-keep-TOKEN                     taken without a holder
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/2-keep-all-TOKEN                 the same, by a reader's lease
 * BASE/leasehold/locks[.NAMESPACE]/LOCK/2-keep-N.SLOT-TOKEN              the same, by a permit
 * BASE/leasehold/clients/CLIENT-SESSION                                 a client's session
 * </pre>
 *
 * <p>Names may consist of any characters. Those other than letters, digits and a few signs are written as the percent-encoded
 * bytes of their UTF-8, so no two names share a node, none reaches out of its place, and each can be read back.
 */
final class Paths {

    private static final String SAFE = "_-.:@=+,;!~";
    private static final String HEX = "0123456789ABCDEF";

    private final String base;
    private final String locks;

    /**
     * Makes the paths for a namespace under a base. The base is empty, or an absolute path without a slash at its end.
     */
    Paths(String base, String namespace) {
        this.base = base;
        this.locks = base + "/leasehold/locks" + (namespace.isEmpty() ? "" : "." + namespace);
    }

    String base() {
        return base;
    }

    String locks() {
        return locks;
    }

    String clients() {
        return base + "/leasehold/clients";
    }

    String lock(String name) {
        return locks + '/' + encode(name);
    }

    String client(String client, long session) {
        return clients() + '/' + encode(client) + '-' + Long.toHexString(session);
    }

    static String encode(String name) {
        StringBuilder text = new StringBuilder(name.length() + 16);
        for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (octet & 0xff);
            boolean safe = c < 0x80 && (Character.isLetterOrDigit(c) || SAFE.indexOf(c) >= 0);
            // "." and ".." mean something to ZooKeeper.
            if (safe && !(c == '.' && text.length() == 0)) {
                text.append(c);
            } else {
                text.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return text.toString();
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @return null for a text that it would not have written
     */
    static @Nullable String decode(String text) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' && i + 2 < text.length()) {
                octets.write(Character.digit(text.charAt(i + 1), 16) << 4 | Character.digit(text.charAt(i + 2), 16));
                i += 2;
            } else {
                octets.write(c);
            }
        }
        String name = octets.toString(StandardCharsets.UTF_8);
        return encode(name).equals(text) ? name : null;
    }
}
