package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The build's own checks must bite. The sources here are compiled with the plugins and the options with which the build
 * compiles main code; should that ever let a planted mistake through, this test fails the build instead.
 */
@Tag("slow")
class PlantedNullTest {
    private static final String HONEST = """
            package planted;

            import org.jspecify.annotations.NullMarked;
            import org.jspecify.annotations.Nullable;

            @NullMarked
            class Planted {
                @interface CheckReturnValue {}

                @Nullable String maybe() {
                    return null;
                }

                @CheckReturnValue
                String lease() {
                    return "lease";
                }

                String use() {
                    return lease();
                }
            }
            """;

    @TempDir
    Path dir;

    @Test
    void aPlantedMistakeStopsTheBuild() throws Exception {
        Compilation honest = compile("honest", HONEST);
        Compilation nullReturned = compile("null", HONEST.replace("return \"lease\"", "return null"));
        Compilation resultIgnored = compile("ignored", HONEST.replace("return lease();", "lease(); return \"\";"));

        honest.passes();
        nullReturned.failsWith("error: [NullAway]");
        resultIgnored.failsWith("error: [CheckReturnValue]");
    }

    /** Starts a compiler of its own, so that the three run side by side. */
    private Compilation compile(String name, String source) throws IOException {
        Path work = Files.createDirectory(dir.resolve(name));
        Path file = Files.writeString(work.resolve("Planted.java"), source);
        Path output = work.resolve("output");
        String path = System.getProperty("java.class.path");

        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
        for (String option : Files.readAllLines(Path.of(System.getProperty("build.root"), ".mvn", "jvm.config"))) {
            command.add("-J" + option);
        }
        command.add("-J-XX:TieredStopAtLevel=1");
        command.addAll(List.of("--release", "17", "-proc:none", "-Werror"));
        command.addAll(List.of("-XDcompilePolicy=simple", "--should-stop=ifError=FLOW"));
        command.add(System.getProperty("build.errorprone"));
        command.addAll(List.of("-cp", path, "-processorpath", path, "-d", work.toString(), file.toString()));
        Process javac = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Compilation(javac, output);
    }

    private record Compilation(Process javac, Path output) {
        void passes() throws Exception {
            assertThat(javac.waitFor()).as(Files.readString(output)).isZero();
        }

        void failsWith(String error) throws Exception {
            assertThat(javac.waitFor()).isNotZero();
            assertThat(output).content().contains(error);
        }
    }
}
