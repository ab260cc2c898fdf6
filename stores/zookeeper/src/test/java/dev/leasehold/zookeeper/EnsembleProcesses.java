package dev.leasehold.zookeeper;

import dev.leasehold.servers.Ports;
import dev.leasehold.testtools.FaultProxy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * An ensemble of three, each server a process of its own, so that one can be stopped or killed. The ways by which followers
 * reach the other servers go through proxies, one per pair and direction, so that a follower can be cut off from its leader
 * while its clients still reach it.
 */
final class EnsembleProcesses implements AutoCloseable {

    private static final int SERVERS = 3;

    private final Path directory;
    private final List<Process> processes = new ArrayList<>();
    private final int[] clientPorts = ports();
    private final int[] quorumPorts = ports();
    private final int[] electionPorts = ports();
    private final FaultProxy[][] quorumWays = new FaultProxy[SERVERS][SERVERS];

    EnsembleProcesses() throws Exception {
        directory = Files.createTempDirectory("leasehold-ensemble");
        for (int from = 0; from < SERVERS; from++) {
            for (int to = 0; to < SERVERS; to++) {
                quorumWays[from][to] = from == to ? null : FaultProxy.to(quorumPorts[to]);
            }
        }
        for (int i = 0; i < SERVERS; i++) {
            processes.add(start(i));
        }
        for (int i = 0; i < SERVERS; i++) {
            awaitMode(i);
        }
    }

    private static int[] ports() {
        return IntStream.range(0, SERVERS).map(server -> Ports.next()).toArray();
    }

    private Process start(int index) throws IOException {
        Path home = Files.createDirectories(directory.resolve("server-" + index));
        StringBuilder config = new StringBuilder()
                .append("dataDir=")
                .append(home)
                .append('\n')
                .append("clientPort=")
                .append(clientPorts[index])
                .append('\n')
                .append("clientPortAddress=127.0.0.1\n")
                .append("tickTime=")
                .append(Zoo.TICK)
                .append('\n')
                .append("initLimit=10\n")
                // So long that a follower goes on answering its clients for a while after it has lost its leader.
                .append("syncLimit=40\n")
                .append("maxSessionTimeout=7200000\n")
                .append("admin.enableServer=false\n")
                .append("4lw.commands.whitelist=*\n");
        for (int to = 0; to < SERVERS; to++) {
            int quorum = to == index ? quorumPorts[to] : quorumWays[index][to].port();
            config.append("server.")
                    .append(to + 1)
                    .append("=127.0.0.1:")
                    .append(quorum)
                    .append(':')
                    .append(electionPorts[to])
                    .append('\n');
        }
        Files.writeString(home.resolve("zoo.cfg"), config);
        Files.writeString(home.resolve("myid"), Integer.toString(index + 1));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        QuorumPeerMain.class.getName(),
                        home.resolve("zoo.cfg").toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("out").toFile())
                .start();
    }

    private void awaitMode(int index) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (mode(index).isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("server " + index + " did not start: "
                        + Files.readString(directory.resolve("server-" + index).resolve("out")));
            }
            java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
        }
    }

    /** {@code leader}, {@code follower}, or empty while the server serves nobody. */
    String mode(int index) {
        String answer = ask(index, "srvr");
        int at = answer.indexOf("Mode: ");
        return at < 0 ? "" : answer.substring(at + 6).strip().split("\\s")[0];
    }

    private String ask(int index, String word) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), clientPorts[index])) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }

    int leader() {
        for (int i = 0; i < SERVERS; i++) {
            if (mode(i).equals("leader")) {
                return i;
            }
        }
        throw new AssertionError("no leader");
    }

    int aFollower() {
        for (int i = 0; i < SERVERS; i++) {
            if (mode(i).equals("follower")) {
                return i;
            }
        }
        throw new AssertionError("no follower");
    }

    /** The server that a session is connected to. */
    int serverOf(long session) {
        for (int i = 0; i < SERVERS; i++) {
            if (ask(i, "cons").contains("sid=0x" + Long.toHexString(session) + ",")) {
                return i;
            }
        }
        throw new AssertionError("no server knows the session " + Long.toHexString(session));
    }

    int clientPort(int index) {
        return clientPorts[index];
    }

    String servers() {
        return Stream.of(0, 1, 2)
                .map(i -> "127.0.0.1:" + clientPorts[i])
                .reduce((a, b) -> a + "," + b)
                .orElseThrow();
    }

    /** Holds back everything that a follower and the others say to each other; its clients still reach it. */
    void cutOff(int follower) {
        for (int other = 0; other < SERVERS; other++) {
            if (other != follower) {
                quorumWays[follower][other].blackHole();
            }
        }
    }

    /** Holds back what the others say to a follower, as where packets are lost one way only and sent again late. */
    void deafen(int follower) {
        for (int other = 0; other < SERVERS; other++) {
            if (other != follower) {
                quorumWays[follower][other].hold(FaultProxy.Way.ANSWERS);
            }
        }
    }

    void reconnect(int follower) {
        for (int other = 0; other < SERVERS; other++) {
            if (other != follower) {
                quorumWays[follower][other].letGo();
            }
        }
    }

    void kill(int index) throws Exception {
        processes.get(index).destroyForcibly().waitFor();
    }

    void restart(int index) throws Exception {
        processes.set(index, start(index));
        awaitMode(index);
    }

    void signal(int index, String signal) throws Exception {
        new ProcessBuilder(
                        "kill", "-" + signal, Long.toString(processes.get(index).pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    @Override
    public void close() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        for (FaultProxy[] ways : quorumWays) {
            for (FaultProxy way : ways) {
                if (way != null) {
                    way.close();
                }
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
