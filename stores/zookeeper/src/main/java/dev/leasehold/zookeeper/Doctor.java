package dev.leasehold.zookeeper;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.spi.StoreContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;

/**
 * The doctor looks at an ensemble: it opens a session as a client would, asks it for the ensemble's members, and each
 * named server what it is. A finding reports what could not be seen, which is never taken for fine.
 */
final class Doctor {

    private static final Duration MOST_FOR_A_SERVER = Duration.ofSeconds(2);
    private static final int ROUND_TRIPS = 5;

    private final String name;
    private final ZooKeeperTarget target;
    private final StoreContext context;
    private final List<Finding> findings = new ArrayList<>();

    Doctor(String name, ZooKeeperTarget target, StoreContext context) {
        this.name = name;
        this.target = target;
        this.context = context;
    }

    List<Finding> examine() throws InterruptedException {
        CountDownLatch known = new CountDownLatch(1);
        ZooKeeper handle = open(known);
        try {
            boolean told = known.await(context.storeTimeout().toNanos(), TimeUnit.NANOSECONDS);
            if (handle.getState() == ZooKeeper.States.AUTH_FAILED) {
                throw Codes.refused(KeeperException.Code.AUTHFAILED, name, "the connection");
            }
            if (!told) {
                throw Codes.silent(name, "the examination", false, null);
            }
            session(Duration.ofMillis(handle.getSessionTimeout()));
            members(handle);
            latency(handle);
        } catch (KeeperException e) {
            throw Codes.silent(name, "the examination", true, e.code().name());
        } finally {
            handle.close(100);
        }
        List<InetSocketAddress> servers = new ConnectStringParser(target.servers()).getServerAddresses();
        for (InetSocketAddress server : servers) {
            server(server);
        }
        exposure(servers.stream().allMatch(Doctor::isLocal));
        return findings;
    }

    private ZooKeeper open(CountDownLatch known) {
        try {
            ZooKeeper handle = new ZooKeeper(
                    target.servers(),
                    (int) target.sessionTimeout().toMillis(),
                    event -> {
                        KeeperState state = event.getState();
                        if (state == KeeperState.SyncConnected || state == KeeperState.AuthFailed) {
                            known.countDown();
                        }
                    },
                    target.clientConfig());
            String credentials = target.credentials();
            if (credentials != null) {
                handle.addAuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
            }
            return handle;
        } catch (IOException e) {
            throw Codes.silent(name, "the examination", false, e.getMessage());
        }
    }

    private void session(Duration granted) {
        Duration asked = target.sessionTimeout();
        String seen = "sessions end after " + granted.toMillis() + " ms";
        findings.add(
                granted.equals(asked)
                        ? Finding.of(Severity.FINE, "zookeeper-session", name, seen + ", as asked for")
                        : Finding.of(
                                        Severity.NOTE,
                                        "zookeeper-session-other",
                                        name,
                                        seen + ", where " + asked.toMillis() + " ms were asked for")
                                .meaning(
                                        "a dead holder blocks for that long, and no lease is valid for more than two thirds of it",
                                        "change minSessionTimeout or maxSessionTimeout of the servers, or leasehold.sessionTimeout"));
    }

    private void members(ZooKeeper handle) throws KeeperException, InterruptedException {
        String config;
        try {
            config = new String(handle.getData(ZooDefs.CONFIG_NODE, false, null), StandardCharsets.UTF_8);
        } catch (KeeperException.NoAuthException | KeeperException.NoNodeException e) {
            findings.add(Finding.of(Severity.NOTE, "zookeeper-members-not-seen", name, "its members may not be seen")
                    .meaning("how many servers may fail is not known", "allow reading " + ZooDefs.CONFIG_NODE));
            return;
        }
        long voters = config.lines()
                .filter(line -> line.startsWith("server.") && !line.contains(":observer"))
                .count();
        if (voters <= 1) {
            findings.add(Finding.of(Severity.WARNING, "zookeeper-one-server", name, "one server alone")
                    .meaning(
                            "while it is down no lock is granted, and all that are held end with their sessions",
                            "run three servers, or five")
                    .fencedOnlyAfter("the loss of the only server's disk, after which tokens begin anew"));
            return;
        }
        long mayFail = (voters - 1) / 2;
        String seen = voters + " voting servers, of which " + mayFail + " may fail";
        findings.add(
                voters % 2 == 1
                        ? Finding.of(Severity.FINE, "zookeeper-members", name, seen)
                        : Finding.of(Severity.NOTE, "zookeeper-members-even", name, seen)
                                .meaning(
                                        "one server fewer would survive as many failures",
                                        "run an odd number of voting servers"));
    }

    /** Measures how long a request takes that goes through the leader, as every renewal does. */
    private void latency(ZooKeeper handle) throws KeeperException, InterruptedException {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < ROUND_TRIPS; i++) {
            long begin = context.time().nanos();
            CountDownLatch answered = new CountDownLatch(1);
            handle.sync("/", (rc, path, ctx) -> answered.countDown(), null);
            if (!answered.await(context.storeTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new KeeperException.OperationTimeoutException();
            }
            nanos.add(context.time().nanos() - begin);
        }
        Duration typical = Duration.ofNanos(nanos.stream().sorted().toList().get(ROUND_TRIPS / 2));
        String seen = "an answer of the leader takes " + typical.toMillis() + " ms";
        findings.add(
                typical.compareTo(target.sessionTimeout().dividedBy(20)) < 0
                        ? Finding.of(Severity.FINE, "zookeeper-latency", name, seen)
                        : Finding.of(Severity.WARNING, "zookeeper-slow", name, seen)
                                .meaning(
                                        "sessions and leases may end although nothing has failed",
                                        "find what makes it slow (disk, network, load), or use a longer session time-out"));
    }

    private void server(InetSocketAddress address) throws InterruptedException {
        String node = "zookeeper://" + address.getHostString() + ':' + address.getPort();
        ServerStatus status = new ServerStatus("", "");
        if (!target.isEncrypted()) {
            Duration limit = context.storeTimeout().compareTo(MOST_FOR_A_SERVER) < 0
                    ? context.storeTimeout()
                    : MOST_FOR_A_SERVER;
            try {
                status = ServerStatus.ask(address, limit);
            } catch (IOException e) {
                findings.add(
                        Finding.of(Severity.WARNING, "zookeeper-server-unreached", node, "it was not reached: " + e)
                                .meaning(
                                        "the ensemble survives fewer failures, or the address is wrong",
                                        "see whether it runs"));
                return;
            }
        }
        if (status.version().isEmpty()) {
            findings.add(Finding.of(Severity.NOTE, "zookeeper-version-not-seen", node, "it does not tell about itself")
                    .meaning("Leasehold needs ZooKeeper 3.6 or newer", "make sure that it is; allow the word srvr"));
        } else if (status.isOld()) {
            findings.add(Finding.of(Severity.SERIOUS, "zookeeper-version-old", node, "ZooKeeper " + status.version())
                    .meaning("Leasehold is made for ZooKeeper 3.6 or newer", "upgrade the server"));
        } else {
            findings.add(Finding.of(
                    Severity.FINE, "zookeeper-version", node, "ZooKeeper " + status.version() + ", " + status.mode()));
        }
        if (status.mode().equals("read-only")) {
            findings.add(
                    Finding.of(Severity.WARNING, "zookeeper-read-only", node, "it is read-only: cut off from a quorum")
                            .meaning("clients get no lock through it", "see what separates it from the other servers"));
        }
    }

    private static boolean isLocal(InetSocketAddress server) {
        try {
            return InetAddress.getByName(server.getHostString()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private void exposure(boolean local) {
        findings.add(
                target.isAuthenticated()
                        ? Finding.of(
                                Severity.FINE, "zookeeper-closed", name, "nodes belong to their creator's identity")
                        : Finding.of(
                                        local ? Severity.NOTE : Severity.WARNING,
                                        "zookeeper-open",
                                        name,
                                        "the session has no identity, so nodes are open to everybody")
                                .meaning(
                                        "everybody who reaches the servers can take, break and forge locks",
                                        "give USER:PASSWORD in the URI, or use SASL or client certificates"));
        if (!target.isEncrypted() && !local) {
            findings.add(Finding.of(Severity.WARNING, "zookeeper-in-clear", name, "the connection is without TLS")
                    .meaning(
                            "anybody who can read the traffic sees all of it, passwords included, and can forge answers",
                            "set secureClientPort at the servers, and leasehold.tls=true"));
        }
    }
}
