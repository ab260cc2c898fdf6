package dev.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Plain sockets, for the drivers of our own pools, which make this by its name; there is no other use for it. What they
 * read while a thread is {@link #spinning} is looked for a moment longer before that thread sleeps; see {@link
 * dev.leasehold.spi.Spin}. All other reads are those of plain sockets, and so is everything else. Thread-safe.
 *
 * <p>Why nothing changes but the time. What is asked is {@code available()}, which takes nothing out of the stream; and the
 * plain read follows in any case. It is that read which finds the end of the stream, a socket that is broken or was closed
 * by another thread, or the end of its patience, which begins a fraction of a millisecond later, or when this
 * thread gets a processor again. TLS is put on top by the drivers, and reads from here.
 *
 * <p>Who spins is said by the thread, not by the socket: the same connections serve for what is waited for long (messages,
 * rows that others have locked, the answer to a ping), where looking would be in vain.
 */
public final class SpinSockets extends SocketFactory {

    /** What a thread does before it reads; it is asked whether there is something to be read. */
    private static final ThreadLocal<@Nullable Consumer<BooleanSupplier>> LOOK = new ThreadLocal<>();

    /** Makes the factory. */
    public SpinSockets() {}

    /** Something that reads from sockets. */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /**
     * Does something whose answers are expected soon, with {@code look} before each read. For threads that are not in here
     * already.
     */
    static <T, E extends Exception> T spinning(Consumer<BooleanSupplier> look, Work<T, E> work) throws E {
        LOOK.set(look);
        try {
            return work.run();
        } finally {
            LOOK.remove();
        }
    }

    /** Whether the calling thread is {@link #spinning}. */
    static boolean isSpinning() {
        return LOOK.get() != null;
    }

    @Override
    public Socket createSocket() {
        return new SpinSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(from, fromPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(from, fromPort));
    }

    private static Socket connected(SocketAddress to, @Nullable SocketAddress from) throws IOException {
        Socket socket = new SpinSocket();
        try {
            if (from != null) {
                socket.bind(from);
            }
            socket.connect(to);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static final class SpinSocket extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            return new SpinStream(super.getInputStream());
        }
    }

    private static final class SpinStream extends InputStream {

        private final InputStream plain;

        SpinStream(InputStream plain) {
            this.plain = plain;
        }

        @Override
        public int read() throws IOException {
            look();
            return plain.read();
        }

        @Override
        public int read(byte[] to, int from, int most) throws IOException {
            look();
            return plain.read(to, from, most);
        }

        @Override
        public int available() throws IOException {
            return plain.available();
        }

        @Override
        public void close() throws IOException {
            plain.close();
        }

        private void look() {
            Consumer<BooleanSupplier> look = LOOK.get();
            if (look != null) {
                look.accept(this::isThere);
            }
        }

        /** Also if there is nothing to wait for: the read says why. */
        private boolean isThere() {
            try {
                return plain.available() > 0;
            } catch (IOException e) {
                return true;
            }
        }
    }
}
