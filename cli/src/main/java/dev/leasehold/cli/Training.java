package dev.leasehold.cli;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A training is a run that the launcher starts once to have the JVM write down the classes that a start needs: one run with
 * SQLite, one with a database in memory, one with a PostgreSQL that does not answer, and one with a Redis that is only
 * pretended and refuses everything but the greeting. Should that ever be too little, starts become slower and nothing else.
 */
final class Training {

    private static final String GREETING = "%2\r\n$5\r\nproto\r\n:3\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n";

    private Training() {}

    /** Runs the training. The argument is the URI of a store that may be thrown away. */
    public static void main(String[] arguments) throws IOException {
        NativeLibrary.prepare();
        train("run", "--store", arguments[0], "training", "true");
        try (ServerSocket server = new ServerSocket(0, 4, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> serve(server), "leasehold-training");
            thread.setDaemon(true);
            thread.start();
            // The first start of the program waits for this.
            String redis = "redis://127.0.0.1:" + server.getLocalPort() + "?leasehold.storeTimeout=2000";
            train("run", "--store", redis, "training", "true");
            train("ls", "--store", redis);
            train("run", "--store", "jdbc:h2:mem:training;DB_CLOSE_DELAY=-1", "training", "true");
            train("ls", "--store", "jdbc:postgresql://127.0.0.1:1/training?leasehold.storeTimeout=1000");
        }
        System.exit(ExitStatus.OK);
    }

    private static void train(String... arguments) {
        Main.commandLine(Terminal.standard(), arguments).execute(arguments);
    }

    /** Serves connections as a Redis would. One at a time is enough. */
    private static void serve(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept();
                    InputStream in = new BufferedInputStream(socket.getInputStream())) {
                while (true) {
                    String answer = command(in).equals("HELLO") ? GREETING : "-ERR this is training\r\n";
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
            } catch (IOException e) {
                // The client has left.
            }
        }
    }

    /** Reads a command, and returns its first word. */
    private static String command(InputStream in) throws IOException {
        String first = "";
        for (int words = number(in); words > 0; words--) {
            String word = new String(in.readNBytes(number(in)), StandardCharsets.ISO_8859_1);
            in.skipNBytes(2);
            first = first.isEmpty() ? word : first;
        }
        return first;
    }

    /** Reads a line of one character and a number. */
    private static int number(InputStream in) throws IOException {
        int number = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            number = Character.isDigit(next) ? number * 10 + next - '0' : number;
        }
        return number;
    }
}
