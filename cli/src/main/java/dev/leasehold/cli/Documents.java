package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * Documents is the program that the build of the distribution starts: it writes the man page and the completion for bash and
 * zsh.
 */
final class Documents {

    private Documents() {}

    /** Writes them. The argument is the directory to write to. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        CommandLine line = Main.commandLine(Terminal.standard());
        Files.writeString(
                Files.createDirectories(directory.resolve("man/man1")).resolve("leasehold.1"), ManPage.of(line));
        Files.writeString(
                Files.createDirectories(directory.resolve("completion")).resolve("leasehold.sh"),
                AutoComplete.bash("leasehold", line));
    }
}
