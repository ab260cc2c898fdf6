package dev.leasehold.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command and how it is started: a shell looks at the clock if there is a lease to outrun, and is replaced by the
 * command. So the process that we have started is the command itself, with the terminal, the process group and the exit
 * status that it would have without us.
 *
 * <p>The shell also carries bytes that a JVM cannot: arguments that are no text in the locale's encoding are given to it
 * as octal numbers.
 */
final class Command {

    static final String MARK_VARIABLE = "LEASEHOLD_RUN";

    private static final Pattern ASCII = Pattern.compile("\\p{ASCII}*");

    private final List<String> words;

    Command(List<String> words) {
        this.words = List.copyOf(words);
    }

    /**
     * Starts it.
     *
     * @param lock the name of the lock
     * @param token the fencing token
     * @param mark what the guard looks for
     * @param startBefore when it is too late to start, on the {@link BootClock}; null for never
     */
    Process start(String lock, long token, String mark, @Nullable Long startBefore) throws IOException {
        ProcessBuilder builder = new ProcessBuilder().inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put("LEASEHOLD_TOKEN", Long.toString(token));
        environment.merge(MARK_VARIABLE, mark, (outer, inner) -> outer + " " + inner);
        builder.command(commandLine(lock, startBefore));
        return builder.start();
    }

    List<String> commandLine(String lock, @Nullable Long startBefore) {
        boolean plain = words.stream().allMatch(word -> ASCII.matcher(word).matches());
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", Guard.script("start.sh"), "leasehold"));
        line.add(startBefore == null ? "-" : Long.toString(startBefore));
        line.add(octal(lock));
        line.add(plain ? "plain" : "octal");
        words.forEach(word -> line.add(plain ? word : octal(word)));
        return line;
    }

    private static String octal(String text) {
        StringBuilder octal = new StringBuilder();
        for (byte b : RawArguments.bytes(text)) {
            octal.append('\\')
                    .append((char) ('0' + (b >> 6 & 3)))
                    .append((char) ('0' + (b >> 3 & 7)))
                    .append((char) ('0' + (b & 7)));
        }
        return octal.toString();
    }

    /** A few words for those who ask who holds the lock. */
    String label(int longest) {
        // Bytes that are no text become question marks.
        String label = new String(String.join(" ", words).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        if (label.length() <= longest) {
            return label;
        }
        int end = Character.isHighSurrogate(label.charAt(longest - 2)) ? longest - 2 : longest - 1;
        return label.substring(0, end) + "…";
    }
}
