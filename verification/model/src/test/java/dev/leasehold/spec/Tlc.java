package dev.leasehold.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** TLC runs on one configuration, in a JVM of its own: TLC keeps its state in statics, and ends its JVM when it likes. */
final class Tlc {
    private static final Pattern STATES = Pattern.compile("(?m)^(\\d+) states generated, (\\d+) distinct states found");
    private static final Pattern DEPTH = Pattern.compile("depth of the complete state graph search is (\\d+)");
    private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");
    private static final String COMPLETED = "Model checking completed. No error has been found.";

    /** A result of TLC; {@code violated} is the invariant that a trace breaks. */
    record Result(
            boolean completed, Optional<String> violated, long generated, long distinct, long depth, String output) {
        @Override
        public String toString() {
            String verdict = violated.map(name -> name + " violated").orElse(completed ? "holds" : "NOT CHECKED");
            return "%-20s %,9d states generated, %,8d distinct, depth %d"
                    .formatted(verdict, generated, distinct, depth);
        }
    }

    private Tlc() {}

    /** At most ten minutes (it needs seconds, on an idle machine); a run that takes longer is ended and counts as not completed. */
    static Result check(Path module, Path configuration) {
        try {
            Path scratch = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "tlc");
            Path output = scratch.resolve("output.txt");
            Process tlc = new ProcessBuilder(command(module, configuration, scratch))
                    .directory(module.toAbsolutePath().getParent().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                tlc.waitFor(10, TimeUnit.MINUTES);
            } finally {
                tlc.destroyForcibly().waitFor();
            }
            return parse(Files.readString(output));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while TLC ran", e);
        }
    }

    private static List<String> command(Path module, Path configuration, Path scratch) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                // Most configurations are checked before the second compiler of the JVM pays.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // TLC unpacks its standard modules there.
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                jarOfTlc(),
                "tlc2.TLC",
                "-workers",
                "1",
                // The same hash function each time.
                "-fp",
                "0",
                "-metadir",
                scratch.resolve("states").toString(),
                "-config",
                configuration.toAbsolutePath().toString(),
                module.getFileName().toString());
    }

    /** The name of the jar, which has the version in it. */
    static String release() {
        return Path.of(jarOfTlc()).getFileName().toString();
    }

    private static String jarOfTlc() {
        try {
            return Path.of(tlc2.TLC
                            .class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static Result parse(String output) {
        // While it runs TLC prints such lines too, with a prefix; the last one is the sum.
        Optional<MatchResult> states = STATES.matcher(output).results().reduce((first, second) -> second);
        return new Result(
                output.contains(COMPLETED),
                VIOLATED.matcher(output).results().findFirst().map(match -> match.group(1)),
                states.map(match -> Long.parseLong(match.group(1))).orElse(0L),
                states.map(match -> Long.parseLong(match.group(2))).orElse(0L),
                DEPTH.matcher(output)
                        .results()
                        .findFirst()
                        .map(match -> Long.parseLong(match.group(1)))
                        .orElse(0L),
                output);
    }
}
