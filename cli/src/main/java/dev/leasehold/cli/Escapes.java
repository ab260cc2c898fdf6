package dev.leasehold.cli;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Escapes make text of strangers safe to show: anybody may have chosen any names and labels. */
final class Escapes {

    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./:@%+=,-]+");

    private static final Pattern STATEMENT = Pattern.compile("\\s*(create|alter|grant)\\s", Pattern.CASE_INSENSITIVE);

    private Escapes() {}

    /** Returns text for a terminal: characters that could move the cursor or hide text are written as escapes. */
    static String shown(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            switch (point) {
                case '\n' -> safe.append("\\n");
                case '\r' -> safe.append("\\r");
                case '\t' -> safe.append("\\t");
                case '\\' -> safe.append("\\\\");
                default -> {
                    if (isInvisible(point)) {
                        safe.append(String.format(point > 0xFFFF ? "\\U%08x" : "\\u%04x", point));
                    } else {
                        safe.appendCodePoint(point);
                    }
                }
            }
        });
        return safe.toString();
    }

    /**
     * Returns a message for a terminal. Statements in it that are to be copied keep their lines, of which the first
     * alone begins at the margin; a message of a driver in several lines becomes one.
     */
    static String lines(String message) {
        List<String> lines =
                message.strip().lines().filter(line -> !line.isBlank()).toList();
        boolean hasStatements =
                lines.stream().anyMatch(line -> STATEMENT.matcher(line).lookingAt());
        return lines.stream()
                .map(line -> shown(hasStatements ? line.stripTrailing() : line.strip()))
                .collect(Collectors.joining(hasStatements ? "\n  " : " "));
    }

    /** Returns a word for a command line that may be copied to a shell; invisible characters stay escapes. */
    static String shellWord(String text) {
        String quoted =
                PLAIN_WORD.matcher(text).matches() ? text : "'" + shown(text).replace("'", "'\\''") + "'";
        return text.startsWith("-") ? "-- " + quoted : quoted;
    }

    /** Makes a JSON string, with its quotes. */
    static String json(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    boolean paired = Character.isSurrogate(c) && isPaired(text, i);
                    if (paired || !isInvisible(c)) {
                        json.append(c);
                    } else {
                        json.append(String.format("\\u%04x", (int) c));
                    }
                }
            }
        }
        return json.append('"').toString();
    }

    private static boolean isPaired(String text, int index) {
        char c = text.charAt(index);
        return Character.isHighSurrogate(c)
                ? index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1))
                : index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
    }

    private static boolean isInvisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }
}
