package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Program starts the packaged program as a user would, on a store of its own, and collects what it says. A start costs a second
 * of processor time and more: a command that starts no process runs in this JVM, but for a few. Registered with a test
 * class, it kills what is left of it after each test.
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
    private final List<Leasehold> holders = new CopyOnWriteArrayList<>();
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

    /** Runs it in this JVM, which shows all but what only a process can show. */
    Answer here(String... arguments) {
        return here(Map.of(), arguments);
    }

    Answer here(Map<String, String> environment, String... arguments) {
        Map<String, String> all = new HashMap<>(System.getenv());
        all.put("LEASEHOLD_STORE", store());
        all.putAll(environment);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new Terminal(new PrintWriter(out), new PrintWriter(err), all), arguments);
        return new Answer(status, out.toString(), err.toString());
    }

    /** Holds a lock by the library, until the test has ended. */
    Lease hold(String name) throws InterruptedException {
        return hold(client -> client.lock(name));
    }

    Lease hold(Function<Leasehold, DistributedLock> lock) throws InterruptedException {
        Leasehold client = Leasehold.builder().uri(store()).label("the test").build();
        holders.add(client);
        return lock.apply(client).acquire();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        runs.forEach(run -> run.process.destroyForcibly());
        holders.forEach(Leasehold::close);
    }

    /** How a command has ended, and what it has said. */
    interface Ended {

        int status() throws InterruptedException;

        String out() throws IOException;

        String err() throws IOException;

        /** Requires that it ended with this status, and said so in one line. */
        default Ended failed(int status, String message) throws IOException, InterruptedException {
            assertThat(status()).as(err()).isEqualTo(status);
            assertThat(err()).contains(message).startsWith("leasehold: ").doesNotContain("\tat ");
            assertThat(err().lines()).hasSize(1);
            return this;
        }

        default Ended succeeded() throws IOException, InterruptedException {
            assertThat(status()).as(err()).isZero();
            return this;
        }
    }

    record Answer(int status, String out, String err) implements Ended {}

    record Run(Process process, Path outFile, Path errFile) implements Ended {

        /** Of a run that does not end, the test's limit shows the threads. */
        @Override
        public int status() throws InterruptedException {
            return process.waitFor();
        }

        @Override
        public String out() throws IOException {
            return Files.readString(outFile, StandardCharsets.UTF_8);
        }

        @Override
        public String err() throws IOException {
            return Files.readString(errFile, StandardCharsets.UTF_8);
        }

        void signal(String name) throws IOException, InterruptedException {
            Processes.signal(name, process.pid());
        }
    }
}
