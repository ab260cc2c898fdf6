package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Jvm starts JVMs with the class path of this one, and sends signals to them. */
final class Jvm {

    private Jvm() {}

    /** Starts a class's main method; what it writes to the console is appended to a file. */
    static Process start(
            List<String> options, Map<String, String> environment, String main, List<String> arguments, Path output)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dio.lettuce.core.jfr=false",
                "-Dio.netty.jfr.enabled=false"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Stops a process, and returns when each of its threads stands still. */
    static void stop(Process process) throws IOException, InterruptedException {
        signal(process, "STOP");
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        while (process.isAlive() && !allStopped(threads)) {
            Thread.sleep(1);
        }
    }

    private static boolean allStopped(Path threads) throws IOException {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
            for (Path thread : each) {
                String state = Files.readString(thread.resolve("stat"));
                if (!state.substring(state.lastIndexOf(')')).startsWith(") T")) {
                    return false;
                }
            }
            return true;
        } catch (NoSuchFileException e) {
            return false; // A thread has ended; or the process, which is looked at next.
        }
    }

    /** Sends a signal, as {@code kill} names it. A process that has ended gets none. */
    static void signal(Process process, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
