package dev.leasehold.testtools;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A spoiling proxy hands on the requests of a client to a server on this machine, and spoils a given number of the answers.
 * Thread-safe.
 */
public final class SpoilingProxy implements AutoCloseable {

    private final int server;
    private final AnswerSpoiler spoiler;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger spoiling = new AtomicInteger();
    private final AtomicInteger closedBehind = new AtomicInteger();
    private volatile Random random = new Random(0);
    private volatile @Nullable String saying;

    private SpoilingProxy(int server, AnswerSpoiler spoiler) throws IOException {
        this.server = server;
        this.spoiler = spoiler;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /**
     * Starts a proxy that spoils nothing yet.
     *
     * @param server the port where the server listens
     * @param spoiler knows the server's protocol
     * @return the proxy
     */
    public static SpoilingProxy to(int server, AnswerSpoiler spoiler) {
        try {
            return new SpoilingProxy(server, spoiler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the port on which the proxy listens, on the loopback address} */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * Spoils the next answers.
     *
     * @param answers how many, on all connections together; 0 to spoil no more
     * @param seed decides what is said instead; which answer that meets is decided by the connections' interleaving
     */
    public void spoil(int answers, long seed) {
        random = new Random(seed);
        spoiling.set(answers);
    }

    /** {@return how many connections were closed behind a spoilt answer} */
    public int closedBehind() {
        return closedBehind.get();
    }

    /**
     * Says the same instead of each answer.
     *
     * @param answer in ASCII, or null to hand on what the server says
     */
    public void say(@Nullable String answer) {
        saying = answer;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket upstream;
            try {
                upstream = new Socket(InetAddress.getLoopbackAddress(), server);
            } catch (IOException e) {
                client.close();
                continue;
            }
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(upstream);
            start(() -> {
                try (client;
                        upstream) {
                    client.getInputStream().transferTo(upstream.getOutputStream());
                } finally {
                    sockets.removeAll(List.of(client, upstream));
                }
            });
            start(() -> {
                try (client;
                        upstream) {
                    answers(client, upstream);
                }
            });
        }
    }

    private void answers(Socket client, Socket upstream) throws IOException {
        InputStream in = new BufferedInputStream(upstream.getInputStream());
        OutputStream out = client.getOutputStream();
        boolean goesOn = true;
        while (goesOn) {
            byte[] answer = spoiler.read(in);
            String instead = saying;
            if (instead != null) {
                out.write(instead.getBytes(StandardCharsets.US_ASCII));
            } else if (spoiling.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                goesOn = spoiler.write(answer, random, out);
                closedBehind.addAndGet(goesOn ? 0 : 1);
            } else {
                out.write(answer);
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The connection has ended.
                    }
                },
                "spoiling-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
