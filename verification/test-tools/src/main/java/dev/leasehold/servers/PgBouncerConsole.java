package dev.leasehold.servers;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A PgBouncer console is where a pooler takes orders, in PostgreSQL's protocol. PostgreSQL's driver cannot be used: the
 * pooler names its own version there, for which the driver sends a {@code SET} that it refuses.
 */
final class PgBouncerConsole implements AutoCloseable {

    private static final int PROTOCOL = 3 << 16;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    PgBouncerConsole(int port) throws IOException {
        socket = ServerProcess.connect(port);
        try {
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
            greet();
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private void greet() throws IOException {
        byte[] startUp = "user\0postgres\0database\0pgbouncer\0\0".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream greeting = new ByteArrayOutputStream();
        DataOutputStream parts = new DataOutputStream(greeting);
        parts.writeInt(2 * Integer.BYTES + startUp.length);
        parts.writeInt(PROTOCOL);
        parts.write(startUp);
        out.write(greeting.toByteArray());
        answer();
    }

    /** Gives an order, and returns the rows of the answer. */
    List<List<String>> order(String order) throws IOException {
        byte[] text = (order + "\0").getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream parts = new DataOutputStream(message);
        parts.writeByte('Q');
        parts.writeInt(Integer.BYTES + text.length);
        parts.write(text);
        out.write(message.toByteArray());
        return answer();
    }

    /** Reads until the pooler is ready for the next order. */
    private List<List<String>> answer() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        while (true) {
            byte type = in.readByte();
            byte[] content = new byte[in.readInt() - Integer.BYTES];
            in.readFully(content);
            switch (type) {
                case 'D' -> rows.add(row(ByteBuffer.wrap(content)));
                case 'E' -> throw new IOException(new String(content, StandardCharsets.UTF_8).replace('\0', ' '));
                case 'Z' -> {
                    return rows;
                }
                default -> {
                    // Names of columns, settings, the end of an order.
                }
            }
        }
    }

    private static List<String> row(ByteBuffer content) {
        List<String> row = new ArrayList<>();
        for (int columns = content.getShort(); columns > 0; columns--) {
            byte[] value = new byte[Math.max(0, content.getInt())]; // -1 is NULL.
            content.get(value);
            row.add(new String(value, StandardCharsets.UTF_8));
        }
        return row;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
