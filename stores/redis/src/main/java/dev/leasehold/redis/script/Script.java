package dev.leasehold.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script runs in Redis. The server knows each by the SHA-1 of its text. */
public enum Script {
    CLAIM("claim-free.lua", "lock.lua", "holders.lua", "hand-over.lua", "find.lua", "stand.lua", "claim.lua"),
    /** This is {@link #CLAIM} with the short cut of claims that share the lock. */
    SHARED_CLAIM("shared-free.lua", "lock.lua", "holders.lua", "hand-over.lua", "find.lua", "stand.lua", "claim.lua"),
    RENEW("renew.lua"),
    DOWNGRADE("lock.lua", "holders.lua", "hand-over.lua", "downgrade.lua"),
    RELEASE("release-free.lua", "lock.lua", "holders.lua", "hand-over.lua", "release.lua"),
    RELEASE_ALONE("release-alone.lua"),
    WITHDRAW("withdraw-free.lua", "lock.lua", "holders.lua", "hand-over.lua", "withdraw.lua"),
    BREAK("lock.lua", "holders.lua", "hand-over.lua", "break.lua"),
    INSPECT("lock.lua", "inspect.lua"),
    ACKNOWLEDGE("acknowledge.lua"),
    VOTE(
            "vote-free.lua",
            "lock.lua",
            "holders.lua",
            "hand-over.lua",
            "find.lua",
            "stand.lua",
            "marker.lua",
            "vote.lua"),
    /** This is {@link #VOTE} without the short cut, which knows of no readers. */
    SHARED_VOTE("lock.lua", "holders.lua", "hand-over.lua", "find.lua", "stand.lua", "marker.lua", "vote.lua"),
    QUORUM_RENEW("lock.lua", "holders.lua", "marker.lua", "quorum-renew.lua"),
    LOOK("lock.lua", "marker.lua", "look.lua"),
    OPEN_QUORUM("lock.lua", "marker.lua", "open-quorum.lua");

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // Nobody writes into them.
    private final EncodedArgs sha;

    Script(String... resources) {
        StringBuilder whole = new StringBuilder();
        for (String resource : resources) {
            whole.append(read(resource)).append('\n');
        }
        text = whole.toString();
        sha = sha(text);
    }

    static EncodedArgs sha(String text) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return EncodedArgs.of(HexFormat.of().formatHex(sha1.digest(text.getBytes(StandardCharsets.UTF_8))));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    /**
     * Returns whether the script must run before later requests, as a claim before its withdrawal, and that before the next
     * claim. Sent again because the server does not know it, it would come later; so it is sent whole the first time on each
     * connection.
     */
    public boolean hasItsPlace() {
        return this == CLAIM || this == SHARED_CLAIM || this == VOTE || this == SHARED_VOTE || this == WITHDRAW;
    }

    public String text() {
        return text;
    }

    public EncodedArgs sha() {
        return sha;
    }

    public static String read(String resource) {
        try (InputStream in = Script.class.getResourceAsStream("/dev/leasehold/redis/" + resource)) {
            if (in == null) {
                throw new IllegalStateException("the script " + resource + " is missing from the module");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
