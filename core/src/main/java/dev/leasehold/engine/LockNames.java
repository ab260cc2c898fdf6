package dev.leasehold.engine;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** LockNames has the rules for a lock's name. */
public final class LockNames {

    private static final int LONGEST = 512;

    private LockNames() {}

    public static String checked(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the lock's name is empty");
        }
        if (name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the lock's name has a NUL character at index " + name.indexOf('\0'));
        }
        int bytes = bytes(name);
        if (bytes > LONGEST) {
            throw new IllegalArgumentException(
                    "the lock's name is " + bytes + " bytes long in UTF-8, at most " + LONGEST
                            + " are allowed: '"
                            + name.codePoints()
                                    .limit(40)
                                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                            + "…'");
        }
        return name;
    }

    private static int bytes(String name) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "the lock's name has an unpaired surrogate, which UTF-8 cannot carry", e);
        }
    }
}
