package dev.leasehold.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command is the program to run, and knows how it is started: a shell looks at the clock if there is a lease to
 * outrun, and is replaced by the command. So the process that we have started is the command itself, with the terminal,
 * the process group and the exit status that it would have without us.
 *
 * <p>The shell also carries bytes that a JVM cannot: where an argument is no text in the locale's encoding, all are given to it
 * in pieces, as {@link ShellCode}.
 */
final class Command {

    static final String MARK_VARIABLE = "LEASEHOLD_RUN";
    private static final String SLOT_VARIABLE = "LEASEHOLD_SLOT";

    /** Set by the launcher if it has changed LC_ALL: empty if that was not set, else = and what it was. */
    private static final String LOCALE = "leasehold.locale";

    /** Set by the launcher: the open descriptors above 2 that it was started with. */
    private static final String DESCRIPTORS = "leasehold.descriptors";

    private static final Path BASH = Path.of("/bin/bash");
    private static final Pattern TWO_DIGITS = Pattern.compile("\\d\\d");
    private static final Pattern ASCII = Pattern.compile("\\p{ASCII}*");

    private final List<String> words;

    /** The file in which the shell says that it could not become the command; null if nobody asks. */
    private final @Nullable Path failed;

    Command(List<String> words) {
        this(words, null);
    }

    private Command(List<String> words, @Nullable Path failed) {
        this.words = List.copyOf(words);
        this.failed = failed;
    }

    /** Returns the same command, but one that can be asked afterwards for {@link #hasNotRun}. */
    Command observed() throws IOException {
        Path file = Files.createTempFile("leasehold", ".failed");
        file.toFile().deleteOnExit();
        return new Command(words, file);
    }

    /** Returns whether it is certain that there was no command: its own status may be 127, too. */
    boolean hasNotRun() {
        return failed != null && failed.toFile().length() > 0;
    }

    /**
     * Starts the command.
     *
     * @param lock the name of the lock
     * @param token the fencing token
     * @param slot the slot of a permit
     * @param mark what the guard looks for
     * @param startBefore when it is too late to start, on the {@link BootClock}; null for never
     */
    Process start(String lock, long token, OptionalInt slot, String mark, @Nullable Long startBefore)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder().inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put("LEASEHOLD_TOKEN", Long.toString(token));
        environment.remove(SLOT_VARIABLE); // Perhaps that of an outer run.
        slot.ifPresent(number -> environment.put(SLOT_VARIABLE, Integer.toString(number)));
        environment.merge(MARK_VARIABLE, mark, (outer, inner) -> outer + " " + inner);
        restoreLocale(environment, System.getProperty(LOCALE));
        builder.command(commandLine(lock, startBefore));
        return builder.start();
    }

    static void restoreLocale(Map<String, String> environment, @Nullable String before) {
        if (before != null && before.isEmpty()) {
            environment.remove("LC_ALL");
        } else if (before != null) {
            environment.put("LC_ALL", before.substring(1));
        }
    }

    List<String> commandLine(String lock, @Nullable Long startBefore) {
        boolean plain = words.stream().allMatch(word -> ASCII.matcher(word).matches());
        String descriptors = System.getProperty(DESCRIPTORS, "").strip();
        List<String> line = new ArrayList<>(shell(descriptors));
        line.addAll(List.of("-c", Guard.script("start.sh"), "leasehold"));
        line.add(startBefore == null ? "-" : Long.toString(startBefore));
        line.add(descriptors);
        line.add(failed == null ? "" : failed.toString());
        line.add(ShellCode.format(lock));
        line.add(plain ? "plain" : "coded");
        line.addAll(plain ? words : ShellCode.words(words));
        return line;
    }

    /**
     * Returns the shell to start. Not every shell knows descriptors of two digits, as {@code <(…)} has them; bash does.
     */
    private static List<String> shell(String descriptors) {
        boolean high = TWO_DIGITS.matcher(descriptors).find();
        return high && Files.isExecutable(BASH) ? List.of(BASH.toString(), "--posix") : List.of("/bin/sh");
    }

    /** Returns a few words that name the command to those that look for the holder of the lock. */
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
