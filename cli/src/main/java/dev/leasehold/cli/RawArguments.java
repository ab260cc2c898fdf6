package dev.leasehold.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Raw arguments are those that were given, byte by byte. The JVM decodes them by the locale, and under the locale C, which
 * cron uses, all letters beyond ASCII become the same replacement character: two locks would be one, and the command would
 * get other arguments than were written. So they are read again from the kernel, as UTF-8; a byte that is not UTF-8 becomes
 * the lone surrogate U+DC00 + byte, which {@link #bytes} turns back. A lock's name may not contain one.
 */
final class RawArguments {

    private static final Path CMDLINE = Path.of("/proc/self/cmdline");

    private RawArguments() {}

    /** Returns the given arguments, read again from the kernel where that is possible. */
    static String[] of(String[] decoded) {
        try {
            List<String> all = split(Files.readAllBytes(CMDLINE));
            if (all.size() < decoded.length) {
                return decoded;
            }
            return all.subList(all.size() - decoded.length, all.size()).toArray(String[]::new);
        } catch (IOException e) {
            return decoded;
        }
    }

    static List<String> split(byte[] joined) {
        List<String> arguments = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < joined.length; i++) {
            if (joined[i] == 0) {
                arguments.add(decode(ByteBuffer.wrap(joined, start, i - start)));
                start = i + 1;
            }
        }
        return arguments;
    }

    private static String decode(ByteBuffer bytes) {
        CharBuffer chars = CharBuffer.allocate(bytes.remaining() + 1);
        CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
        while (true) {
            CoderResult result = utf8.decode(bytes, chars, true);
            if (!result.isError()) {
                return chars.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                chars.put((char) (0xDC00 + (bytes.get() & 0xFF)));
            }
            utf8.reset();
        }
    }

    /** Returns the bytes behind a decoded argument. */
    static byte[] bytes(String argument) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(argument.length());
        argument.codePoints().forEach(point -> {
            if (point >= 0xDC80 && point <= 0xDCFF) {
                bytes.write(point - 0xDC00);
            } else {
                bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
        });
        return bytes.toByteArray();
    }
}
