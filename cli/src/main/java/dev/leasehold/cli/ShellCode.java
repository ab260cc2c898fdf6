package dev.leasehold.cli;

import java.util.ArrayList;
import java.util.List;

/** Shell code is bytes for a shell, as the format of a {@code printf} that consists of ASCII characters alone. */
final class ShellCode {

    /** Linux refuses an argument of more than 128 KiB. */
    private static final int LONGEST_PIECE = 100_000;

    private static final int LONGEST_BYTE = 4;

    private ShellCode() {}

    static String format(String text) {
        StringBuilder format = new StringBuilder();
        for (byte b : RawArguments.bytes(text)) {
            append(format, b);
        }
        return format.toString();
    }

    /** Returns all words, each in quotes, cut into pieces that one argument can hold. */
    static List<String> words(List<String> words) {
        List<String> pieces = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        for (String word : words) {
            for (byte b : RawArguments.bytes(" '" + word.replace("'", "'\\''") + "'")) {
                if (piece.length() > LONGEST_PIECE - LONGEST_BYTE) {
                    pieces.add(piece.toString());
                    piece.setLength(0);
                }
                append(piece, b);
            }
        }
        pieces.add(piece.toString());
        return pieces;
    }

    private static void append(StringBuilder format, byte b) {
        boolean plain = b >= ' ' && b <= '~' && b != '%' && b != '\\' && b != '-';
        if (plain) {
            format.append((char) b);
        } else {
            format.append('\\')
                    .append((char) ('0' + (b >> 6 & 3)))
                    .append((char) ('0' + (b >> 3 & 7)))
                    .append((char) ('0' + (b & 7)));
        }
    }
}
