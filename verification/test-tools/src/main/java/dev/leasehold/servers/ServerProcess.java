package dev.leasehold.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server process is one run of a server, which ends with this JVM at the latest. */
final class ServerProcess {

    /** A question asks a server whether it serves. A failure means that it does not yet. */
    @FunctionalInterface
    interface Question {
        boolean isTrue() throws IOException, SQLException;
    }

    private static final long PAUSE_NANOS = 5_000_000;
    private static final int CONNECT_MILLIS = 60_000;
    private static final int ANSWER_MILLIS = 60_000;

    private final Process process;

    /** The file to which its console output is appended. */
    private final Path output;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
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
        Runtime.getRuntime().addShutdownHook(new Thread(() -> killAll(process)));
        return new ServerProcess(process, output);
    }

    /** Opens a connection to a server of this machine, which has to take it and to answer within a limit. */
    static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            socket.setSoTimeout(ANSWER_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Returns whether a server of this machine takes connections. */
    static boolean takesConnections(int port) throws IOException {
        connect(port).close();
        return true;
    }

    /**
     * Waits until the answer to a question is yes. If it does not become so in time, or the server ends, what is left of it
     * is killed; its files stay.
     *
     * @throws IllegalStateException in that case
     */
    void await(Duration atMost, Question question) {
        long end = System.nanoTime() + atMost.toNanos();
        while (true) {
            Exception failure = null;
            try {
                if (question.isTrue()) {
                    return;
                }
            } catch (IOException | SQLException e) {
                failure = e;
            }
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                String what = process.isAlive() ? "did not serve within " + atMost : "has ended";
                kill();
                throw new IllegalStateException("the server " + what + "; see " + output.getParent(), failure);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
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

    /** Kills it and what it has started, where that would not end by itself. */
    void killAll() {
        killAll(process);
        kill();
    }

    private static void killAll(Process process) {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
