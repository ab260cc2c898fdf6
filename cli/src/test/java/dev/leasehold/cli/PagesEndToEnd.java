package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that README and docs/command-line.md show are run as they stand there, with names filled in. */
@Timeout(120)
class PagesEndToEnd {

    private static final Pattern SHELL = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);

    /** What builds, installs for all users, or needs a server: shown by other tests. */
    private static final Pattern ELSEWHERE =
            Pattern.compile("\\./mvnw .*|sudo .*|leasehold quorum .*|java -cp .* (redis|'jdbc):.*");

    @TempDir
    Path directory;

    @Test
    void theCommandsOfTheReadme() throws Exception {
        Files.writeString(
                directory.resolve("Shop.java"), Pages.javaIn("README.md").get(0));
        List<String> commands = commandsOf("README.md");
        assertThat(commands).hasSizeGreaterThanOrEqualTo(8);
        for (String command : commands) {
            assertThat(run(command)).as(command).isIn(expected(command));
        }
        assertThat(Files.readString(directory.resolve("out")))
                .contains("running with token ")
                .contains("invoice 42 is mine, token ");
    }

    @Test
    void theCommandsOfThePageOfTheCommandLine() throws Exception {
        List<String> commands = commandsOf("docs/command-line.md");
        assertThat(commands).hasSizeGreaterThanOrEqualTo(6);
        for (String command : commands) {
            assertThat(run(command)).as(command).isIn(expected(command));
        }
    }

    /** Nobody holds anything: so show and break find nothing. */
    private static List<Integer> expected(String command) {
        return command.matches("(\\./)?leasehold (show|break) .*") ? List.of(1) : List.of(0);
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

    private int run(String command) throws IOException, InterruptedException {
        String filledIn = command.replace("[--]", "--")
                .replaceAll("\\bNAME\\b", "demo")
                .replaceAll("COMMAND…|\\./report\\.sh", "true")
                .replace("URI", "\"$LEASEHOLD_STORE\"")
                .replace("sqlite:/tmp/locks.db", "\"$LEASEHOLD_STORE\"")
                .replace("cli/target/lib", Pages.ROOT + "/cli/target/lib")
                .replaceFirst("^leasehold", "./leasehold")
                .replaceFirst("^(\\./leasehold break .*)", "$1 --yes")
                .replaceFirst("^\\./leasehold", Program.LAUNCHER.toString());
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", filledIn)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("out").toFile()));
        builder.environment().put("LEASEHOLD_STORE", "sqlite:" + directory.resolve("locks.db"));
        builder.environment().put("LEASEHOLD_BUILD", "never");
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(command).isTrue();
        return process.exitValue();
    }
}
