package dev.leasehold.benchmarks.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A delay proxy makes a server seem far away: each byte arrives so much later than it was sent, either way, and no sooner than the
 * one before. Bytes that were sent together arrive together, so a client may have many requests on their way.
 */
final class DelayProxy implements AutoCloseable {

    private static final int CHUNK = 64 * 1024;

    private record Chunk(long due, byte[] bytes) {}

    private final ServerSocket listener;
    private final int server;
    private final long delay;

    DelayProxy(int server, Duration delay) throws IOException {
        this.server = server;
        this.delay = delay.toNanos();
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket upstream = new Socket();
            upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server));
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            pump(client, upstream);
            pump(upstream, client);
        }
    }

    private void pump(Socket from, Socket to) {
        LinkedBlockingQueue<Chunk> onTheirWay = new LinkedBlockingQueue<>();
        daemon(() -> {
            try (from) {
                InputStream in = from.getInputStream();
                byte[] buffer = new byte[CHUNK];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    onTheirWay.add(new Chunk(System.nanoTime() + delay, Arrays.copyOf(buffer, read)));
                }
            } finally {
                onTheirWay.add(new Chunk(System.nanoTime() + delay, new byte[0]));
            }
        });
        daemon(() -> {
            try (to) {
                OutputStream out = to.getOutputStream();
                for (Chunk next = onTheirWay.take(); next.bytes().length > 0; next = onTheirWay.take()) {
                    for (long left = next.due() - System.nanoTime(); left > 0; left = next.due() - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                    out.write(next.bytes());
                }
            }
        });
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException e) {
                        // The connection has ended, or the proxy.
                    }
                },
                "delay-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
