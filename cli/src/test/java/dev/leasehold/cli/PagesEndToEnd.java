package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that README and docs/command-line.md show are run as they stand there, with names filled in. */
class PagesEndToEnd {

    private static final Pattern SHELL = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);

    /** Other tests show these commands, which build, install for all users, or need a server. */
    private static final Pattern ELSEWHERE =
            Pattern.compile("\\./mvnw .*|sudo .*|leasehold quorum .*|java -cp .* (redis|'jdbc):.*");

    @TempDir
    Path directory;

    @Test
    void theCommandsOfThePagesRun() throws Exception {
        Files.writeString(directory.resolve("Shop.java"), Pages.classIn("README.md", "Shop"));
        Set<String> commands = new LinkedHashSet<>();
        for (String page : List.of("README.md", "docs/command-line.md")) {
            commandsOf(page).stream().map(PagesEndToEnd::filledIn).forEach(commands::add);
        }
        assertThat(commands).hasSizeGreaterThanOrEqualTo(9);
        for (String command : commands) {
            // Nobody holds anything, so show and break find nothing.
            int expected = command.matches("\\S*leasehold (show|break) .*") ? 1 : 0;
            assertThat(run(command)).as(command).isEqualTo(expected);
        }
        assertThat(Files.readString(directory.resolve("out")))
                .contains("running with token ")
                .contains("invoice 42 is mine, token ");
    }

    private static List<String> commandsOf(String page) throws IOException {
        List<String> commands = new ArrayList<>();
        for (Matcher block = SHELL.matcher(Files.readString(Pages.ROOT.resolve(page))); block.find(); ) {
            block.group(1)
                    .lines()
                    .map(line -> line.replaceFirst(" {2,}#.*", "").strip())
                    .filter(line -> !ELSEWHERE.matcher(line).matches())
                    .forEach(commands::add);
        }
        return commands;
    }

    private static String filledIn(String command) {
        return command.replace("[--]", "--")
                .replaceAll("\\bNAME\\b|nightly-report(?! -- sh)", "demo")
                .replaceAll("COMMAND…|\\./(report|call|show)\\.sh", "true")
                .replace("URI", "\"$LEASEHOLD_STORE\"")
                .replace("sqlite:/tmp/locks.db", "\"$LEASEHOLD_STORE\"")
                .replace("cli/target/lib", Pages.ROOT + "/cli/target/lib")
                .replace(" --store \"$LEASEHOLD_STORE\"", "")
                .replaceFirst("^leasehold", "./leasehold")
                .replaceFirst("^(\\./leasehold break .*)", "$1 --yes")
                .replaceFirst("^\\./leasehold", Program.LAUNCHER.toString());
    }

    private int run(String command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("out").toFile()));
        builder.environment().put("LEASEHOLD_STORE", "sqlite:" + directory.resolve("locks.db"));
        builder.environment().put("LEASEHOLD_BUILD", "never");
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.waitFor(A_MINUTE, TimeUnit.SECONDS)).as(command).isTrue();
        return process.exitValue();
    }
}
