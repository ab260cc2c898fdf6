package dev.leasehold.redis.script;

import dev.leasehold.architecture.GoldenFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server keeps scripts by the SHA-1 of their text, and clients of several versions send theirs side by side. */
@Tag("slow")
class ScriptTextsTest {

    @Test
    void scriptsChangeOnlyOnPurpose() throws IOException, GeneralSecurityException {
        MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
        StringBuilder all = new StringBuilder();
        for (Script script : Script.values()) {
            byte[] text = script.text().getBytes(StandardCharsets.UTF_8);
            all.append(script)
                    .append(' ')
                    .append(HexFormat.of().formatHex(sha1.digest(text)))
                    .append('\n');
        }
        new GoldenFile("scripts.txt").check(all.toString());
    }
}
