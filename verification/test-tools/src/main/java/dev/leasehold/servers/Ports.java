package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports are for servers, none of them twice in one process. A server that is down, to be started again on its port, must
 * find it free: so the ports are below those that the system gives to clients, and each process takes them from blocks of
 * its own, which it keeps by locks on files until it ends.
 */
public final class Ports {

    private static final int FIRST = 12_000;
    private static final int BLOCKS = 100;
    private static final int BLOCK = 200;

    private static final List<FileChannel> HELD = new ArrayList<>();

    private static int block;
    private static int next;
    private static int end;

    private Ports() {}

    /** Finds a port on which nobody listens. */
    public static synchronized int next() {
        try {
            while (true) {
                if (next == end) {
                    takeBlock();
                }
                int port = next++;
                if (isFree(port)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** No block is tried twice: to close a file releases every lock that this process has on it. */
    private static void takeBlock() throws IOException {
        Path directory = Files.createDirectories(
                Path.of(System.getProperty("java.io.tmpdir"), "leasehold-ports-" + System.getProperty("user.name")));
        while (block < BLOCKS) {
            int tried = block++;
            FileChannel channel = FileChannel.open(
                    directory.resolve(Integer.toString(tried)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                HELD.add(channel);
                next = FIRST + tried * BLOCK;
                end = next + BLOCK;
                return;
            }
            channel.close();
        }
        throw new IllegalStateException("all ports are taken; see " + directory);
    }
}
