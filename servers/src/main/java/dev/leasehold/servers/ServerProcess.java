package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server process is one run of a server, which ends with this JVM at the latest. */
final class ServerProcess {

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param environment variables beside those of this JVM
     * @param output where what it writes to the console is appended
     */
    static ServerProcess start(List<String> command, Map<String, String> environment, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new ServerProcess(process);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, as {@code kill} names it. */
    void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
