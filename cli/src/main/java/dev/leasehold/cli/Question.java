package dev.leasehold.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A question asks the user at the terminal, also where standard input is something else. */
final class Question {

    private static final Path TERMINAL = Path.of("/dev/tty");

    private Question() {}

    /**
     * Returns whether the answer is yes.
     *
     * @param without what {@code --yes} is for, should there be no terminal: {@code to break this lease}
     */
    static boolean confirmed(Terminal terminal, String question, String without) {
        try (BufferedReader user = Files.newBufferedReader(TERMINAL)) {
            terminal.err().print(question + " [y/N] ");
            terminal.err().flush();
            String answer = user.readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        } catch (IOException e) {
            throw new Failure(ExitStatus.USAGE, "there is no terminal to ask on; add --yes " + without);
        }
    }
}
