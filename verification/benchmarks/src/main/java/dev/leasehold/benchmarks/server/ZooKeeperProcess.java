package dev.leasehold.benchmarks.server;

import dev.leasehold.servers.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A ZooKeeper process is a server in a process of its own, which counts requests. */
final class ZooKeeperProcess implements AutoCloseable {

    private final Process process;
    private final int port;

    ZooKeeperProcess(Path directory) throws Exception {
        port = Ports.next();
        Path config = directory.resolve("zoo.cfg");
        Files.writeString(
                config,
                "dataDir=" + directory.resolve("data") + "\nclientPort=" + port
                        + "\nclientPortAddress=127.0.0.1\ntickTime=2000\nadmin.enableServer=false\n"
                        + "maxClientCnxns=0\n4lw.commands.whitelist=*\n");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ZooKeeperServerMain.class.getName(),
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        while (!mntr().contains("zk_version")) {
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(directory.resolve("out")));
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    long pid() {
        return process.pid();
    }

    /** Returns how many requests it has received since it started, this question included. */
    long received() {
        for (String line : mntr().split("\n", -1)) {
            String[] parts = line.split("\t", -1);
            if (parts.length == 2 && parts[0].equals("zk_packets_received")) {
                return (long) Double.parseDouble(parts[1]);
            }
        }
        return -1;
    }

    private String mntr() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            // Before the server listens, the loopback may connect a socket to itself: it would wait for its own answer.
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() throws Exception {
        process.destroyForcibly().waitFor();
    }
}
