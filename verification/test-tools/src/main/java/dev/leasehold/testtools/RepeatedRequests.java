package dev.leasehold.testtools;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Repeated requests are those of a client to a server, sent once more on a connection of their own; nobody hears the
 * answers.
 */
final class RepeatedRequests implements AutoCloseable {

    /** A chunk is a piece of the requests; one without bytes is the end. */
    private static final class Chunk {
        final byte[] bytes;
        final long due;

        Chunk(byte[] bytes, long due) {
            this.bytes = bytes;
            this.due = due;
        }
    }

    private final Socket server;
    private final Duration late;
    private final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();

    private RepeatedRequests(Socket server, Duration late) {
        this.server = server;
        this.late = late;
    }

    static RepeatedRequests to(InetSocketAddress address, Duration late) throws IOException {
        Socket server = new Socket();
        server.connect(address);
        server.setTcpNoDelay(true);
        RepeatedRequests repeated = new RepeatedRequests(server, late);
        FaultProxy.start("repeats", repeated::say);
        FaultProxy.start("repeats-answers", repeated::ignore);
        return repeated;
    }

    void add(byte[] bytes) {
        chunks.add(new Chunk(bytes, System.nanoTime() + late.toNanos()));
    }

    private void say() throws IOException {
        try {
            for (Chunk chunk = chunks.take(); chunk.bytes.length > 0; chunk = chunks.take()) {
                TimeUnit.NANOSECONDS.sleep(chunk.due - System.nanoTime());
                server.getOutputStream().write(chunk.bytes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            FaultProxy.reset(server);
        }
    }

    private void ignore() throws IOException {
        InputStream answers = server.getInputStream();
        byte[] ignored = new byte[4096];
        while (answers.read(ignored) >= 0) {
            // Nobody hears them.
        }
    }

    /** Ends the connection; requests that have not been sent yet are never sent. */
    @Override
    public void close() {
        FaultProxy.reset(server);
        chunks.add(new Chunk(new byte[0], 0));
    }
}
