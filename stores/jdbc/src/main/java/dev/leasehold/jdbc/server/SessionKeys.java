package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.dialect.SessionRules;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;

/**
 * SessionKeys makes of a lock's name what a database's function takes: a part of the SHA-256 of where the tables are, the
 * namespace, and the name. Two locks with the same key share one lock of the database: one of them at a time is held, which
 * costs the other a wait and nothing else. Places that differ in case only are taken for the same, because it is on some
 * servers.
 *
 * @param place schema and prefix of the tables
 */
public record SessionKeys(SessionRules rules, String place, String namespace) {

    public SessionKeys(SessionRules rules, String schema, String prefix, String namespace) {
        this(rules, (schema + '.' + prefix).toLowerCase(Locale.ROOT), namespace);
    }

    public Object of(String lock) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : List.of(place, namespace, lock)) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
                digest.update(bytes);
            }
            return rules.key(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
