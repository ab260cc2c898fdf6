package dev.leasehold.benchmarks.report;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Machine describes the circumstances that figures depend on: processors, system, JDK, commit, versions of the libraries.
 */
public final class Machine {

    private static final Pattern JAR =
            Pattern.compile("(redisson|shedlock-core|spring-integration-core|curator-recipes|"
                    + "lettuce-core|postgresql|mariadb-java-client)-(\\d[\\w.]*?)(?:\\.jar)");

    private Machine() {}

    /** Describes the machine in one line. */
    public static String line() {
        return Runtime.getRuntime().availableProcessors() + " × " + processor() + ", " + System.getProperty("os.name")
                + " " + System.getProperty("os.version") + ", JDK " + System.getProperty("java.version") + ", commit "
                + commit() + "; " + versions();
    }

    private static String processor() {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/cpuinfo"));
            return lines.stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader said =
                    new BufferedReader(new InputStreamReader(git.getInputStream(), StandardCharsets.UTF_8))) {
                String line = said.readLine();
                return line == null ? "unknown" : line;
            }
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String versions() {
        TreeMap<String, String> found = new TreeMap<>();
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .forEach(entry -> {
                    Matcher jar = JAR.matcher(Path.of(entry).getFileName().toString());
                    if (jar.matches()) {
                        found.put(name(jar.group(1)), jar.group(2));
                    }
                });
        StringBuilder versions = new StringBuilder();
        found.forEach((name, version) -> versions.append(versions.isEmpty() ? "" : ", ")
                .append(name)
                .append(' ')
                .append(version));
        return versions.toString();
    }

    private static String name(String artifact) {
        String stem = artifact.replaceFirst("-(core|recipes|java-client)$", "").replace('-', ' ');
        return switch (stem) {
            case "shedlock" -> "ShedLock";
            case "mariadb", "postgresql" -> stem + " driver";
            default -> {
                StringBuilder words = new StringBuilder();
                for (String word : stem.split(" ", -1)) {
                    words.append(words.isEmpty() ? "" : " ")
                            .append(word.substring(0, 1).toUpperCase(Locale.ROOT))
                            .append(word.substring(1));
                }
                yield words.toString();
            }
        };
    }
}
