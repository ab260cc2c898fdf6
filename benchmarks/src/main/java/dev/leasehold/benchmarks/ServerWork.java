package dev.leasehold.benchmarks;

import dev.leasehold.servers.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a cycle of a peer has the server do.
 *
 * @param commands what the client sends
 * @param executions all that is carried out, what scripts call included
 * @param micros how long the client's commands take inside the server, reading and writing of sockets not counted
 */
record ServerWork(double commands, double executions, double micros) {

    private static final int CYCLES = 200;
    private static final Pattern STAT = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+),usec=(\\d+)");
    private static final Pattern SENT = Pattern.compile("\\+[0-9.]+ \\[\\d+ ([^]]+)] \"([^\"]+)\".*");

    /** Lets a peer run for a while, first to see its commands one by one, then to have them measured. */
    static ServerWork of(RedisProcess redis, Peer peer) throws Exception {
        Set<String> sent = new HashSet<>();
        int commands = 0;
        int executions = 0;
        try (Socket monitor = new Socket("localhost", redis.port())) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
            lines.readLine();
            cycles(peer);
            redis.commands().echo("the end");
            Matcher line = next(lines);
            while (!line.group(2).equalsIgnoreCase("echo")) {
                executions++;
                if (!line.group(1).equals("lua")) {
                    commands++;
                    sent.add(line.group(2).toLowerCase(Locale.ROOT));
                }
                line = next(lines);
            }
        }
        redis.commands().configResetstat();
        cycles(peer);
        long micros = 0;
        Matcher stats = STAT.matcher(redis.commands().info("commandstats"));
        while (stats.find()) {
            micros += sent.contains(stats.group(1)) ? Long.parseLong(stats.group(3)) : 0;
        }
        return new ServerWork((double) commands / CYCLES, (double) executions / CYCLES, (double) micros / CYCLES);
    }

    private static void cycles(Peer peer) throws Exception {
        for (int i = 0; i < CYCLES; i++) {
            peer.acquire();
            peer.release();
        }
    }

    private static Matcher next(BufferedReader lines) throws IOException {
        while (true) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("the server has ended MONITOR");
            }
            Matcher matcher = SENT.matcher(line);
            if (matcher.matches()) {
                return matcher;
            }
        }
    }
}
