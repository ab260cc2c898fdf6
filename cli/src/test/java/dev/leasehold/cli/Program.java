package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Program starts the packaged program as a user would, on a store of its own, and collects what it says. Registered with a
 * test class, it kills what is left of it after each test.
 */
final class Program implements AfterEachCallback {

    static final Path LAUNCHER = Path.of(System.getProperty("build.root"), "leasehold");

    /** For a store's URI: a JVM that has just started takes longer than ten seconds to connect on a busy machine. */
    static final String PATIENT = "leasehold.storeTimeout=60000";

    /** As process 1, as in a container. */
    static final List<String> FIRST = List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");

    private final Supplier<Path> directory;
    private final Supplier<String> store;
    private final List<Run> runs = new CopyOnWriteArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    /** With the test's directory, which is there only when the test is run, and a store in it. */
    Program(Supplier<Path> directory) {
        this(directory, () -> "sqlite:" + directory.get().resolve("locks.db"));
    }

    Program(Supplier<Path> directory, Supplier<String> store) {
        this.directory = directory;
        this.store = store;
    }

    String store() {
        return store.get();
    }

    Run start(Map<String, String> environment, List<String> arguments) throws IOException {
        return start(List.of(), environment, arguments);
    }

    Run startWithoutTerminal(String... arguments) throws IOException {
        return start(List.of("setsid", "-w"), Map.of(), List.of(arguments));
    }

    Run startAsFirst(String... arguments) throws IOException {
        return start(FIRST, Map.of(), List.of(arguments));
    }

    /** Skips the test where this starter can start nothing, as where no namespaces can be had. */
    static void assumeStarts(List<String> starter) throws InterruptedException {
        List<String> line = new ArrayList<>(starter);
        line.add("true");
        try {
            assumeTrue(new ProcessBuilder(line).start().waitFor() == 0);
        } catch (IOException e) {
            assumeTrue(false, "there is no " + starter.get(0));
        }
    }

    Run start(List<String> starter, Map<String, String> environment, List<String> arguments) throws IOException {
        Path dir = directory.get();
        int number = count.incrementAndGet();
        Path in = dir.resolve("in" + number);
        Path out = dir.resolve("out" + number);
        Path err = dir.resolve("err" + number);
        Files.writeString(in, "input");
        List<String> line = new ArrayList<>(starter);
        line.add(LAUNCHER.toString());
        line.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(dir.toFile())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("LEASEHOLD_STORE", store());
        builder.environment().put("LEASEHOLD_BUILD", "never");
        builder.environment().putAll(environment);
        Run run = new Run(builder.start(), out, err);
        runs.add(run);
        return run;
    }

    Run start(String... arguments) throws IOException {
        return start(Map.of(), List.of(arguments));
    }

    /** Runs it to its end. */
    Run run(String... arguments) throws IOException, InterruptedException {
        Run run = start(arguments);
        run.status();
        return run;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        runs.forEach(run -> run.process.destroyForcibly());
    }

    record Run(Process process, Path outFile, Path errFile) {

        /** Of a run that does not end, the test's limit shows the threads. */
        int status() throws InterruptedException {
            return process.waitFor();
        }

        String out() throws IOException {
            return Files.readString(outFile, StandardCharsets.UTF_8);
        }

        String err() throws IOException {
            return Files.readString(errFile, StandardCharsets.UTF_8);
        }

        void signal(String name) throws IOException, InterruptedException {
            Processes.signal(name, process.pid());
        }

        /** Requires that it ended with this status, and said so in one line. */
        Run failed(int status, String message) throws IOException, InterruptedException {
            assertThat(status()).as(err()).isEqualTo(status);
            assertThat(err()).contains(message).startsWith("leasehold: ").doesNotContain("\tat ");
            assertThat(err().lines()).hasSize(1);
            return this;
        }

        Run succeeded() throws IOException, InterruptedException {
            assertThat(status()).as(err()).isZero();
            return this;
        }
    }
}
