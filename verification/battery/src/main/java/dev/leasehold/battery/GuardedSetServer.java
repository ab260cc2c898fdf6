package dev.leasehold.battery;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A guarded set server makes a {@link GuardedSet} available to other processes: a line for each request, and one for each
 * answer.
 */
final class GuardedSetServer implements AutoCloseable {

    private static final String REFUSED = "refused";

    private final GuardedSet set;
    private final ServerSocket listener;

    GuardedSetServer(GuardedSet set) throws IOException {
        this.set = set;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "battery-set");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader requests = reader(socket)) {
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                send(socket.getOutputStream(), answer(line.split(" ", -1)));
            }
        } catch (IOException e) {
            // The client has ended.
        }
    }

    private String answer(String[] request) {
        return switch (request[0]) {
            case "open" -> text(set.open(request[1], Long.parseLong(request[2])));
            case "write" ->
                set.write(Long.parseLong(request[1]), numbers(request[2]), Integer.parseInt(request[3]))
                        ? "written"
                        : REFUSED;
            case "look" -> text(set.look(Long.parseLong(request[1])));
            case "compared" -> {
                set.compared(Boolean.parseBoolean(request[1]));
                yield "noted";
            }
            default -> throw new IllegalArgumentException(request[0]);
        };
    }

    private static String text(Optional<List<Integer>> value) {
        return value.map(numbers -> numbers.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .orElse(REFUSED);
    }

    private static List<Integer> numbers(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    private static void send(OutputStream to, String line) throws IOException {
        to.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /** A remote set is one as a thread of another process sees it. */
    static final class Remote implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader answers;

        Remote(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            answers = reader(socket);
        }

        private String ask(String request) {
            try {
                send(socket.getOutputStream(), request);
                return answers.readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Returns the set as text, which is written back as it is; nothing if the token is refused. */
        Optional<String> open(String client, long token) {
            return accepted(ask("open " + client + " " + token));
        }

        boolean write(long token, String read, int added) {
            return !ask("write " + token + " " + read + " " + added).equals(REFUSED);
        }

        Optional<String> look(long token) {
            return accepted(ask("look " + token));
        }

        void compared(boolean same) {
            ask("compared " + same);
        }

        private static Optional<String> accepted(String answer) {
            return answer.equals(REFUSED) ? Optional.empty() : Optional.of(answer);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
