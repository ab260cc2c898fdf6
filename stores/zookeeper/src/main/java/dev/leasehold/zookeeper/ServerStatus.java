package dev.leasehold.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server status is the answer of one server to the word {@code srvr}, which servers answer unless told not to.
 *
 * @param version as {@code 3.9.5}; empty if it does not say
 * @param mode {@code leader}, {@code follower}, {@code observer}, {@code standalone}, {@code read-only}; empty if it does not
 *     say
 */
record ServerStatus(String version, String mode) {

    private static final int MOST_BYTES = 64 * 1024;
    private static final Pattern VERSION = Pattern.compile("Zookeeper version: (\\d{1,4}\\.\\d{1,4}[^-, ]*)");
    private static final Pattern MODE = Pattern.compile("Mode: ([a-z-]+)");

    /**
     * Asks a server, without TLS, which a port may want.
     *
     * @throws IOException if it is not reached
     */
    static ServerStatus ask(InetSocketAddress server, Duration limit) throws IOException {
        int millis = (int) Math.max(1, limit.toMillis());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return of(new String(socket.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8));
        }
    }

    static ServerStatus of(String answer) {
        return new ServerStatus(found(VERSION.matcher(answer)), found(MODE.matcher(answer)));
    }

    private static String found(Matcher matcher) {
        @Nullable String group = matcher.find() ? matcher.group(1) : null;
        return group == null ? "" : group;
    }

    /** Returns whether the server is older than what Leasehold is made for. */
    boolean isOld() {
        if (version.isEmpty()) {
            return false;
        }
        String[] parts = version.split("\\.", -1);
        int major = Integer.parseInt(parts[0]);
        return major < 3 || (major == 3 && Integer.parseInt(parts[1].replaceAll("\\D.*", "")) < 6);
    }
}
