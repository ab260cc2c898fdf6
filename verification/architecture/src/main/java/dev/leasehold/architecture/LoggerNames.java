package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * LoggerNames checks the names of a module's loggers, which users write into their configuration: one for each module, and
 * no class's.
 */
public final class LoggerNames {

    private static final Pattern LOGGER = Pattern.compile("System\\.getLogger\\(([^()]*(?:\\(\\))?)\\)");

    private LoggerNames() {}

    /** Fails where the sources of the module under test ask for a logger of another name. */
    public static void checkThatAllAre(String name) throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            for (Path source : sources) {
                Matcher matcher = LOGGER.matcher(Files.readString(source));
                while (matcher.find()) {
                    found.add(matcher.group(1));
                }
            }
        }
        assertThat(found).as("what loggers are asked for by").containsExactly('"' + name + '"');
    }
}
