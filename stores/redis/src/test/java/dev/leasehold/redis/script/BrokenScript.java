package dev.leasehold.redis.script;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * A broken script breaks a line of the scripts for as long as it is open, in all scripts that have it. For clients that
 * connect meanwhile.
 */
public final class BrokenScript implements AutoCloseable {

    private final Map<Script, String> whole = new EnumMap<>(Script.class);

    /** Replaces a text, which has to be there, by another. */
    public BrokenScript(String text, String by) {
        for (Script script : Script.values()) {
            if (script.text().contains(text)) {
                whole.put(script, script.text());
            }
        }
        if (whole.isEmpty()) {
            throw new IllegalArgumentException("no script has the text " + text);
        }
        whole.forEach((script, known) -> set(script, known.replace(text, by)));
    }

    private static void set(Script script, String text) {
        try {
            byte[] sha = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            set(script, "text", text);
            set(script, "sha", EncodedArgs.of(HexFormat.of().formatHex(sha)));
        } catch (ReflectiveOperationException | java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void set(Script script, String name, Object value) throws ReflectiveOperationException {
        Field field = Script.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(script, value);
    }

    @Override
    public void close() {
        whole.forEach(BrokenScript::set);
    }
}
