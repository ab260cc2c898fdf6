package dev.leasehold.testtools;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A fault proxy stands between a client and a server on this machine and spoils their TCP connections: it delays their
 * bytes, holds them back, cuts connections with a reset, or refuses new ones. Bytes that are held back are delivered late
 * when they are let go, as after a partition that heals; with {@link #cut} they are gone. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

    /** A way is the direction in which bytes go. */
    public enum Way {
        /** From the client to the server. */
        REQUESTS,
        /** From the server to the client. */
        ANSWERS
    }

    private static final int CHUNK = 16 * 1024;

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final Set<Socket> abandoned = ConcurrentHashMap.newKeySet();
    private final Set<Way> held = EnumSet.noneOf(Way.class);
    private Duration delay = Duration.ZERO;
    private @Nullable Duration repeating;
    private int holding;
    private boolean refusing;
    private boolean closed;

    private FaultProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    /**
     * Starts a proxy without faults.
     *
     * @param port where the server listens on this machine
     * @return the proxy
     */
    public static FaultProxy to(int port) {
        try {
            return new FaultProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the port on which the proxy listens, on the loopback address} */
    public int port() {
        return listener.getLocalPort();
    }

    /** {@return how many connections clients have made, refused ones included} */
    public int accepted() {
        return accepted.get();
    }

    /**
     * Delays everything from now on.
     *
     * @param by how long, each way
     */
    public void delay(Duration by) {
        change(() -> delay = by);
    }

    /**
     * Holds back everything that is said from now on, in silence.
     *
     * @param way which way
     */
    public void hold(Way way) {
        change(() -> held.add(way));
    }

    /**
     * Returns how many connections hold back something that has been said.
     *
     * @return in how many connections, each way counted for itself
     */
    public int holding() {
        mutex.lock();
        try {
            return holding;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Holds back everything, both ways: new connections are made, and hear nothing.
     */
    public void blackHole() {
        hold(Way.REQUESTS);
        hold(Way.ANSWERS);
    }

    /** Lets the present connections fall silent for good, both ways, as a router does that forgets them. New ones work. */
    public void abandon() {
        change(() -> abandoned.addAll(sockets));
    }

    /** Delivers the bytes that are held back, as far as their connection has not been cut, and holds back no more. */
    public void letGo() {
        change(held::clear);
    }

    /**
     * Refuses new connections, or does so no longer.
     *
     * @param refuse whether to refuse
     */
    public void refuse(boolean refuse) {
        change(() -> refusing = refuse);
    }

    /**
     * Repeats the requests of clients on connections that are made from now on: the server hears each of their bytes
     * once more, later, on another connection, whose answers are thrown away. So each request is carried out twice, as
     * where a network repeats messages. Only for protocols in which the client's bytes do not depend on the server's.
     *
     * @param late how much later, or null to repeat no more
     */
    public void repeat(@Nullable Duration late) {
        change(() -> repeating = late);
    }

    /** Cuts the present connections with a reset, both ways. Bytes that were held back are gone. */
    public void cut() {
        // Not those that are made meanwhile, because of the first that were cut.
        for (Socket socket : List.copyOf(sockets)) {
            reset(socket);
        }
        change(() -> {});
    }

    @Override
    public void close() {
        change(() -> closed = true);
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(FaultProxy::reset);
        change(() -> {});
    }

    private void change(Runnable change) {
        mutex.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            accepted.incrementAndGet();
            if (isRefusing()) {
                reset(client);
                continue;
            }
            Socket upstream = new Socket();
            RepeatedRequests repeated;
            try {
                upstream.connect(server);
                repeated = repeated();
            } catch (IOException e) {
                reset(client);
                reset(upstream);
                continue;
            }
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(upstream);
            start("requests", () -> {
                try (repeated) {
                    pump(client, upstream, Way.REQUESTS, repeated);
                }
            });
            start("answers", () -> pump(upstream, client, Way.ANSWERS, null));
        }
    }

    private @Nullable RepeatedRequests repeated() throws IOException {
        mutex.lock();
        try {
            return repeating == null ? null : RepeatedRequests.to(server, repeating);
        } finally {
            mutex.unlock();
        }
    }

    private boolean isRefusing() {
        mutex.lock();
        try {
            return refusing || closed;
        } finally {
            mutex.unlock();
        }
    }

    private void pump(Socket from, Socket to, Way way, @Nullable RepeatedRequests repeated) throws IOException {
        byte[] chunk = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                awaitLeave(way, to);
                out.write(chunk, 0, read);
                if (repeated != null) {
                    repeated.add(Arrays.copyOf(chunk, read));
                }
            }
        } finally {
            awaitLeave(way, to);
            sockets.remove(from);
            sockets.remove(to);
            reset(from);
            reset(to);
        }
    }

    private void awaitLeave(Way way, Socket to) {
        long start = System.nanoTime();
        mutex.lock();
        boolean isHeld = isHeld(way, to);
        holding += isHeld ? 1 : 0;
        try {
            long wait = delay.toNanos();
            while ((isHeld(way, to) || wait > 0) && !closed && !to.isClosed()) {
                changed.await(isHeld(way, to) ? TimeUnit.SECONDS.toNanos(1) : wait, TimeUnit.NANOSECONDS);
                wait = delay.toNanos() - (System.nanoTime() - start);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            holding -= isHeld ? 1 : 0;
            mutex.unlock();
        }
    }

    private boolean isHeld(Way way, Socket to) {
        return held.contains(way) || abandoned.contains(to);
    }

    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is gone already.
        }
    }

    interface Task {
        void run() throws IOException;
    }

    static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The connection has ended, which is what this class is for.
                    }
                },
                "fault-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
