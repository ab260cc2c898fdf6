package dev.leasehold.battery;

import dev.leasehold.servers.Ports;
import dev.leasehold.testtools.FaultProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** The ZooKeeper under test is an ensemble of three servers, each a process of its own. */
final class ZooKeeperUnderTest implements StoreUnderTest {

    /** The session timeout, after which ZooKeeper ends a session that has sent nothing. */
    static final Duration SESSION = Duration.ofSeconds(2);

    private static final int SERVERS = 3;
    private static final int TICK = 500;
    private static final int SYNC_TICKS = 10;

    /** The time after which a server gives up another that has sent nothing. */
    static final Duration SILENCE = Duration.ofMillis(TICK * SYNC_TICKS);

    private final Path directory;
    private final int[] ports = ports();
    private final int[] quorumPorts = ports();
    private final int[] electionPorts = ports();
    private final Process[] processes = new Process[SERVERS];

    private final ClockShim[] clocks = new ClockShim[SERVERS];

    private ZooKeeperUnderTest(Path directory) {
        this.directory = directory;
    }

    static StoreUnderTest start(Path directory, Fault fault) {
        ZooKeeperUnderTest ensemble = new ZooKeeperUnderTest(directory);
        try {
            for (int i = 0; i < SERVERS && fault.movesServerClock(); i++) {
                ensemble.clocks[i] = ClockShim.create(directory.resolve("server-" + i + ".clock"));
            }
            for (int i = 0; i < SERVERS; i++) {
                ensemble.launch(i);
            }
            for (int i = 0; i < SERVERS; i++) {
                ensemble.awaitServing(i);
            }
            return ensemble;
        } catch (IOException | RuntimeException e) {
            ensemble.close();
            throw e instanceof IOException io ? new UncheckedIOException(io) : (RuntimeException) e;
        }
    }

    private static int[] ports() {
        return IntStream.range(0, SERVERS).map(server -> Ports.next()).toArray();
    }

    private void launch(int index) throws IOException {
        Path home = Files.createDirectories(directory.resolve("zookeeper-" + index));
        String others = IntStream.range(0, SERVERS)
                .mapToObj(to -> "server." + (to + 1) + "=127.0.0.1:" + quorumPorts[to] + ":" + electionPorts[to] + "\n")
                .collect(Collectors.joining());
        Files.writeString(
                home.resolve("zoo.cfg"),
                "dataDir=" + home + "\nclientPort=" + ports[index] + "\nclientPortAddress=127.0.0.1\ntickTime=" + TICK
                        + "\ninitLimit=20\nsyncLimit=" + SYNC_TICKS + "\nmaxClientCnxns=0\nadmin.enableServer=false\n"
                        + "4lw.commands.whitelist=*\n" + others);
        Files.writeString(home.resolve("myid"), Integer.toString(index + 1));
        Process process = Jvm.start(
                List.of("-Xmx128m"),
                clocks[index] == null ? Map.of() : clocks[index].environment(),
                QuorumPeerMain.class.getName(),
                List.of(home.resolve("zoo.cfg").toString()),
                home.resolve("out"));
        processes[index] = process;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    private void awaitServing(int index) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!ask(index, "srvr").contains("Mode: ")) {
            if (!processes[index].isAlive() || System.nanoTime() - end > 0) {
                throw new IllegalStateException("the server " + index + " did not start; see " + directory);
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Finds the server that calls itself the leader and has as many followers in step as make a majority with it. */
    @Override
    public int leader() {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            for (int i = 0; i < SERVERS; i++) {
                if (leads(i)) {
                    return i;
                }
            }
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("no server leads; see " + directory);
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    private boolean leads(int index) {
        List<String[]> monitored =
                ask(index, "mntr").lines().map(line -> line.split("\t", -1)).toList();
        return monitored.stream().anyMatch(words -> words[0].equals("zk_server_state") && words[1].equals("leader"))
                && monitored.stream()
                        .anyMatch(words -> words[0].equals("zk_synced_followers") && number(words) >= SERVERS / 2);
    }

    private String ask(int index, String word) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports[index])) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public Way way() {
        List<FaultProxy> proxies = IntStream.of(ports).mapToObj(FaultProxy::to).toList();
        return new Way(uri(proxies.stream().map(FaultProxy::port).toList()), proxies);
    }

    @Override
    public String uri() {
        return uri(IntStream.of(ports).boxed().toList());
    }

    private static String uri(List<Integer> ports) {
        return ports.stream()
                .map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(
                        ",", "zookeeper://", "/battery?leasehold.sessionTimeout=" + SESSION.toMillis()));
    }

    @Override
    public String version() {
        return Version.getVersion();
    }

    @Override
    public int servers() {
        return SERVERS;
    }

    @Override
    public void signal(int server, String signal) throws Exception {
        Jvm.signal(processes[server], signal);
    }

    @Override
    public void kill(int server) throws Exception {
        processes[server].destroyForcibly().waitFor();
    }

    @Override
    public void restart(int server, boolean withData) throws Exception {
        if (!withData) {
            throw new UnsupportedOperationException("an ensemble must keep its data");
        }
        launch(server);
    }

    /**
     * Waits until all servers serve. Three JVMs that start at once on a busy machine take longer than any client should
     * have to wait.
     */
    @Override
    public void awaitServing() {
        for (int i = 0; i < SERVERS; i++) {
            awaitServing(i);
        }
    }

    @Override
    public void flush(int server) {
        throw new UnsupportedOperationException("an ensemble must keep its data");
    }

    @Override
    public void moveClock(int server, Duration by) throws IOException {
        clocks[server].moveWall(by.toNanos() / 1_000);
    }

    @Override
    public Map<String, Long> gauges() {
        Map<String, Long> gauges = new LinkedHashMap<>();
        for (int i = 0; i < SERVERS; i++) {
            ask(i, "mntr").lines().map(line -> line.split("\t", -1)).forEach(words -> {
                switch (words[0]) {
                    case "zk_num_alive_connections" -> gauges.merge("connections", number(words) - 1, Long::sum);
                    case "zk_watch_count" -> gauges.merge("watchers", number(words), Long::sum);
                    // Each server has all of them.
                    case "zk_znode_count" -> gauges.merge("nodes", number(words), Long::max);
                    case "zk_ephemerals_count" -> gauges.merge("ephemeral nodes", number(words), Long::max);
                    default -> {
                        // Of no interest here.
                    }
                }
            });
        }
        return gauges;
    }

    private static long number(String[] words) {
        return Long.parseLong(words[1]);
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {
        for (Process process : processes) {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
