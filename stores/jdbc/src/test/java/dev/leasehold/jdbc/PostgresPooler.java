package dev.leasehold.jdbc;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A PostgreSQL pooler speaks PostgreSQL's protocol to both sides and lends the sessions of a real server per transaction, as
 * PgBouncer does in its transaction mode, and as that up to 1.20 without a look at the names of statements. Where {@link
 * TransactionPooler} is one for the callers of a driver, this is one for the driver.
 */
final class PostgresPooler implements AutoCloseable {

    private static final int VERSION_3 = 196_608;

    private final int serverPort;
    private final int sessions;
    private final ServerSocket listener;
    private final LinkedBlockingQueue<Side> free = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<Closeable> open = new ConcurrentLinkedQueue<>();
    private final List<Message> greeting = new ArrayList<>();

    private record Message(int type, byte[] body) {

        boolean is(char wanted) {
            return type == wanted;
        }
    }

    /** A side is one end of a connection. */
    private record Side(Socket socket, DataInputStream in, DataOutputStream out) {

        static Side of(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            return new Side(socket, new DataInputStream(in), new DataOutputStream(out));
        }

        Message read() throws IOException {
            return new Message(in.readUnsignedByte(), body());
        }

        byte[] body() throws IOException {
            byte[] body = new byte[in.readInt() - Integer.BYTES];
            in.readFully(body);
            return body;
        }

        void write(Message message) throws IOException {
            byte[] bytes = new byte[1 + Integer.BYTES + message.body.length];
            bytes[0] = (byte) message.type;
            System.arraycopy(number(bytes.length - 1), 0, bytes, 1, Integer.BYTES);
            System.arraycopy(message.body, 0, bytes, 1 + Integer.BYTES, message.body.length);
            out.write(bytes);
        }
    }

    PostgresPooler(int serverPort, int sessions) throws IOException {
        this.serverPort = serverPort;
        this.sessions = sessions;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private static byte[] number(int number) {
        return new byte[] {(byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number};
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "pooler");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Side client = Side.of(listener.accept());
                open.add(client.socket);
                daemon(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Side client) {
        try (Socket closing = client.socket) {
            byte[] start = client.body();
            while (!isStart(start)) {
                client.out.write('N'); // Neither TLS nor Kerberos.
                start = client.body();
            }
            openSessions(start);
            for (Message message : greeting) {
                client.write(message);
            }
            while (true) {
                lend(client, client.read());
            }
        } catch (IOException | InterruptedException e) {
            // It has gone.
        }
    }

    private static boolean isStart(byte[] start) {
        return java.nio.ByteBuffer.wrap(start).getInt() == VERSION_3;
    }

    /** All with the settings of the first client: ours all have the same. */
    private synchronized void openSessions(byte[] start) throws IOException {
        if (!greeting.isEmpty()) {
            return;
        }
        for (int i = 0; i < sessions; i++) {
            Side session = Side.of(new Socket(InetAddress.getLoopbackAddress(), serverPort));
            open.add(session.socket);
            session.out.writeInt(start.length + Integer.BYTES);
            session.out.write(start);
            boolean first = greeting.isEmpty();
            Message message;
            do {
                message = session.read();
                if (first) {
                    greeting.add(message.is('K') ? new Message('K', new byte[2 * Integer.BYTES]) : message);
                }
            } while (!message.is('Z'));
            free.add(session);
        }
    }

    /** Lends a session for one transaction, or one statement outside of one. */
    private void lend(Side client, Message first) throws IOException, InterruptedException {
        if (first.is('X')) {
            throw new IOException("the client has said good-bye");
        }
        Side session = free.take();
        Message asked = first;
        while (true) {
            session.write(asked);
            if ((asked.is('S') || asked.is('Q')) && answer(session, client)) {
                free.add(session);
                return;
            }
            asked = client.read();
        }
    }

    /** Passes an answer on, and returns whether no transaction is open after it. */
    private static boolean answer(Side session, Side client) throws IOException {
        while (true) {
            Message answer = session.read();
            client.write(answer);
            if (answer.is('Z')) {
                return answer.body[0] == 'I';
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Closeable each : open) {
            each.close();
        }
    }
}
