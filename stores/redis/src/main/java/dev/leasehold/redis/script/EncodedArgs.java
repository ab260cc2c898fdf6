package dev.leasehold.redis.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encoded arguments are those of a command, encoded as they are sent. Arguments that are sent again and again, or to several
 * servers alike, are put into this form once. Immutable.
 */
public final class EncodedArgs {

    private static final byte[] END = {'\r', '\n'};

    private final int count;
    private final byte[] bytes;

    private EncodedArgs(int count, byte[] bytes) {
        this.count = count;
        this.bytes = bytes;
    }

    public static EncodedArgs of(byte[]... arguments) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(128);
        for (byte[] argument : arguments) {
            all.write('$');
            all.writeBytes(ascii(Integer.toString(argument.length)));
            all.writeBytes(END);
            all.writeBytes(argument);
            all.writeBytes(END);
        }
        return new EncodedArgs(arguments.length, all.toByteArray());
    }

    /** Encodes one argument. */
    public static EncodedArgs of(String argument) {
        byte[] text = argument.getBytes(StandardCharsets.UTF_8);
        byte[] length = ascii(Integer.toString(text.length));
        byte[] all = new byte[text.length + length.length + 5];
        all[0] = '$';
        System.arraycopy(length, 0, all, 1, length.length);
        int at = 1 + length.length;
        all[at] = '\r';
        all[at + 1] = '\n';
        System.arraycopy(text, 0, all, at + 2, text.length);
        all[all.length - 2] = '\r';
        all[all.length - 1] = '\n';
        return new EncodedArgs(1, all);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the number of arguments. */
    int count() {
        return count;
    }

    /** Returns the bytes themselves, which callers must not change. */
    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EncodedArgs args && count == args.count && Arrays.equals(bytes, args.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
