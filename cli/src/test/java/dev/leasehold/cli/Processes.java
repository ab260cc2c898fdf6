package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;

/** Processes are others, as the kernel shows them. */
final class Processes {

    private Processes() {}

    static ConditionFactory await() {
        return Waits.await().pollInterval(Duration.ofMillis(20));
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        assertThat(reaches(name, pid)).as("kill -s " + name).isTrue();
    }

    /** Sends a signal to a process that may have ended by itself. */
    static boolean reaches(String name, long pid) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "kill -s " + name + " " + pid + " 2>/dev/null")
                        .start()
                        .waitFor()
                == 0;
    }

    /** Returns whether it is ignored here: tests that a shell has put in the background, or nohup has started, pass that on. */
    static boolean isIgnored(String signal) throws IOException {
        int bit = List.of("HUP", "INT").indexOf(signal);
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            long ignored = lines.filter(line -> line.startsWith("SigIgn:"))
                    .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .findFirst()
                    .orElse(0);
            return bit >= 0 && (ignored >> bit & 1) == 1;
        }
    }

    /** Returns whether it runs: neither gone nor waiting to be collected. */
    static boolean isRunning(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith("State:"))
                    .noneMatch(line -> line.matches("State:\\s*[ZX].*"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the numbers of running processes in whose environment or arguments this text stands. */
    static List<Long> mentioning(String file, String text) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(path -> path.getFileName().toString().matches("[0-9]+"))
                    .filter(path -> contents(path.resolve(file)).contains(text))
                    .map(path -> Long.parseLong(path.getFileName().toString()))
                    .filter(Processes::isRunning)
                    .toList();
        }
    }

    /** Kills the guards that this process has started. Stopped first, so that none starts another process meanwhile. */
    static void killGuardsOf(ProcessHandle wrapper) throws Exception {
        for (ProcessHandle guard : guardsOf(wrapper)) {
            signal("STOP", guard.pid());
            List<ProcessHandle> timer = guard.descendants().toList();
            guard.destroyForcibly();
            timer.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** The numbers of the guards whose store is in this directory; other tests may have others at the same time. */
    static List<Long> guardsIn(Path directory) throws IOException {
        List<Long> guards = new ArrayList<>(mentioning("cmdline", "leasehold-guard"));
        guards.retainAll(mentioning("environ", directory.toString()));
        return guards;
    }

    /** Returns the guards' main processes. */
    static List<ProcessHandle> guardsOf(ProcessHandle wrapper) {
        List<ProcessHandle> guards = wrapper.children()
                .filter(child ->
                        contents(Path.of("/proc/" + child.pid() + "/cmdline")).contains("leasehold-guard"))
                .toList();
        assertThat(guards).isNotEmpty();
        return guards;
    }

    /** The guard's own helpers come and go: empty for a process that has ended meanwhile. */
    static String session(long pid) {
        String stat = contents(Path.of("/proc/" + pid + "/stat"));
        return stat.isEmpty() ? "" : stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3];
    }

    static String contents(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Waits until a command has written a line to this file, and returns it. */
    static String awaitLine(Path file) {
        await().until(() -> contents(file).contains("\n"));
        return contents(file).lines().findFirst().orElseThrow();
    }
}
