package dev.leasehold.benchmarks.server;

import dev.leasehold.servers.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Redis monitor counts what clients send to a Redis, by {@code MONITOR}; what scripts call is not counted. */
final class RedisMonitor {

    private static final Pattern SENT = Pattern.compile("\\+[0-9.]+ \\[\\d+ ([^]]+)] .*");

    private RedisMonitor() {}

    static long commandsDuring(RedisProcess redis, StoreServer.Task task) throws Exception {
        String last = UUID.randomUUID().toString();
        try (Socket monitor = new Socket("localhost", redis.port())) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
            lines.readLine();
            FutureTask<Long> counting = new FutureTask<>(() -> count(lines, last));
            Thread reader = new Thread(counting, "monitor");
            reader.setDaemon(true);
            reader.start(); // At once: Redis closes a connection whose reader is far behind.
            task.run();
            redis.commands().echo(last);
            return counting.get();
        }
    }

    private static long count(BufferedReader lines, String last) throws IOException {
        long count = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains(last)) {
                return count;
            }
            Matcher sent = SENT.matcher(line);
            count += sent.matches() && !sent.group(1).equals("lua") ? 1 : 0;
        }
        throw new IOException("the server has ended MONITOR");
    }
}
