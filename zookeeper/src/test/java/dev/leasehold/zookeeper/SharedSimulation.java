package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * One random run of several clients that share a lock, each at a follower of its own: permits whose number changes client by
 * client, readers, mutexes, downgrades, kept leases; clients that stop for a while, crash, lose their connection or their session at
 * any step. {@link SharedJudge} judges what they believe.
 */
final class SharedSimulation {

    static final int CLIENTS = 4;
    static final int SESSIONS = 5;
    static final int HANDLES = CLIENTS * SESSIONS;

    private static final String LOCK = "l";
    private static final String PATH = "/leasehold/locks/l";
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration KEPT = Duration.ofMillis(400);

    private final SplittableRandom chance;
    private final List<ScriptedHandle> handles;
    private final VirtualTime time = new VirtualTime();
    private final ScriptedEnsemble ensemble =
            new ScriptedEnsemble(() -> time.now().wallMicros() / 1_000);
    private final List<SimClient> clients = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private final SharedJudge judge = new SharedJudge(time);
    private final boolean calm;
    private final boolean worn;
    private long sessions;

    SharedSimulation(long seed, List<ScriptedHandle> handles) {
        this.chance = new SplittableRandom(seed);
        this.handles = handles;
        this.calm = seed % 3 == 0;
        this.worn = seed % 7 == 1;
        try {
            for (String path : new String[] {"/leasehold", "/leasehold/locks", PATH}) {
                ensemble.atLeader(at -> at.create(path, new byte[0], CreateMode.PERSISTENT, 0));
            }
            if (worn) {
                ensemble.atLeader(at -> {
                    at.number(PATH, Integer.MAX_VALUE - 9);
                    return at;
                });
            }
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new SimClient(i));
        }
    }

    /** One client, with all its sessions. */
    private final class SimClient implements CuratorConnection {

        final int index;
        final String name;
        final ScriptedEnsemble.Follower follower = ensemble.new Follower();
        final Map<ClaimId, Claim> asking = new LinkedHashMap<>();
        final Set<ClaimId> signalled = new HashSet<>();
        final Set<ClaimId> withdrawn = new HashSet<>();
        OpenZooKeeperStore store;

        @Nullable Events events;

        ScriptedHandle handle;
        int used;
        int permits = 3;
        int asleep;
        boolean isConnected;
        boolean isDead;
        long count;

        SimClient(int index) {
            this.index = index;
            this.name = "c" + index;
            this.handle = handles.get(index * SESSIONS);
            this.store = new OpenZooKeeperStore(name, context(), new Paths("", ""), this);
            begin();
        }

        private StoreContext context() {
            return new StoreContext(name, name, "", time, Duration.ofSeconds(5), new Signals() {
                @Override
                public void granted(Grant grant, @Nullable Validity validity) {
                    if (validity == null) {
                        note(name + " hears of " + grant);
                        signalled.add(grant.lease().claim());
                    } else {
                        judge.extended(grant.lease(), validity);
                    }
                }

                @Override
                public void doubt(@Nullable String lock) {}
            });
        }

        private void begin() {
            handle = handles.get(index * SESSIONS + used++);
            handle.begin(++sessions, follower.tree, follower, line -> note(name + ' ' + line));
        }

        @Override
        public void start(Events heard) {
            events = heard;
        }

        @Override
        public boolean isOwn() {
            return true;
        }

        @Override
        public @Nullable ClockReading connectedSince(ZooKeeper of) {
            return time.now();
        }

        @Override
        public void close() {}

        void connect() {
            Events heard = events;
            if (heard != null && !isConnected && !isDead) {
                isConnected = true;
                follower.show(chance.nextInt(4));
                heard.connected(handle);
            }
        }

        void disconnect() {
            Events heard = events;
            if (heard != null && isConnected) {
                note(name + " loses its connection");
                isConnected = false;
                heard.suspended();
                handle.fail(Code.CONNECTIONLOSS);
            }
        }

        /** Its leases are over before the servers end the session. */
        void loseSession() {
            Events heard = events;
            if (heard == null || used == SESSIONS || !isConnected) {
                return;
            }
            note(name + " loses its session");
            judge.allOver(name);
            long ended = handle.getSessionId();
            isConnected = false;
            heard.suspended();
            if (chance.nextBoolean()) {
                end(ended);
            }
            handle.end();
            heard.lost();
            end(ended);
            begin();
        }

        void crash() {
            note(name + " crashes");
            judge.allOver(name);
            isDead = true;
            isConnected = false;
            asking.clear();
        }

        void claim() {
            int what = chance.nextInt(10);
            int share = what < 7 ? permits : what == 7 ? Claim.EXCLUSIVE : Claim.UNLIMITED;
            Claim claim = new Claim(new ClaimId(name, ++count), LOCK, share, LEASE, chance.nextInt(5) != 0);
            if (claim.enqueue()) {
                asking.put(claim.id(), claim);
            }
            ask(claim);
        }

        void ask(Claim claim) {
            note(name + " asks " + claim.id() + " with " + claim.share());
            store.claim(claim).whenComplete((answer, failure) -> {
                note(name + " is answered " + claim.id() + ' ' + (failure == null ? answer : failure));
                if (answer instanceof ClaimAnswer.Granted granted && !isDead) {
                    asking.remove(claim.id());
                    signalled.remove(claim.id());
                    if (withdrawn.contains(claim.id())) {
                        // An answer that nobody waits for any more; the engine does the same.
                        store.release(granted.lease(), Duration.ZERO);
                    } else {
                        judge.granted(name, claim.share(), granted);
                    }
                }
            });
        }

        void askAgain() {
            for (Claim each : List.copyOf(asking.values())) {
                if (signalled.contains(each.id()) || chance.nextInt(4) == 0) {
                    ask(each);
                }
            }
        }

        void work() {
            LeaseId lease = judge.anyOf(name, chance);
            int what = chance.nextInt(20);
            if (lease == null || what < 7) {
                if (asking.size() < 3) {
                    claim();
                }
            } else if (what < 14) {
                release(lease, chance.nextInt(3) == 0 ? KEPT : Duration.ZERO);
            } else if (what < 17) {
                note(name + " becomes a reader " + lease);
                judge.reads(lease);
                renewed(lease, store.downgrade(lease, LEASE).toCompletableFuture());
            } else if (what < 18 && !calm) {
                judge.broken(lease);
                note("broken: " + lease);
                clients.get(chance.nextInt(CLIENTS)).store.breakLease(LOCK, lease.token());
            } else if (what < 19 && !asking.isEmpty()) {
                Claim claim = asking.remove(asking.keySet().iterator().next());
                note(name + " withdraws " + claim.id());
                withdrawn.add(claim.id());
                store.withdraw(LOCK, claim.id());
            } else {
                renewed(lease, store.renew(lease, LEASE).toCompletableFuture());
            }
        }

        private void release(LeaseId lease, Duration keep) {
            judge.over(lease);
            note(name + " releases " + lease + ' ' + keep);
            long sentAt = time.nanos();
            store.release(lease, keep).whenComplete((answer, failure) -> {
                if (answer == ReleaseAnswer.RELEASED && !keep.isZero()) {
                    judge.kept(lease, sentAt + keep.toNanos());
                }
            });
        }

        private void renewed(LeaseId lease, CompletableFuture<RenewAnswer> answering) {
            answering.whenComplete((answer, failure) -> {
                if (answer instanceof RenewAnswer.Renewed renewed) {
                    judge.extended(lease, renewed.validity());
                } else if (answer instanceof RenewAnswer.Lost) {
                    note(name + " has lost " + lease);
                    judge.over(lease);
                }
            });
        }
    }

    private void note(String line) {
        log.add(line);
    }

    private void end(long session) {
        try {
            ensemble.atLeader(at -> {
                at.end(session);
                return at;
            });
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
    }

    // ---- the run ---------------------------------------------------------------------------------------------------

    List<String> run(int steps) {
        for (int i = 0; i < steps; i++) {
            step(clients.get(chance.nextInt(CLIENTS)));
            judge.look();
            if (calm && i % 50 == 49) {
                settle();
                requireThatAllWhoHoldKnow();
            }
        }
        finish();
        return log;
    }

    private void step(SimClient client) {
        if (client.isDead) {
            if (chance.nextInt(40) == 0) {
                end(client.handle.getSessionId());
            }
            return;
        }
        if (client.asleep > 0) {
            client.asleep--;
            return;
        }
        int what = chance.nextInt(200);
        if (what < 60) {
            client.handle.serve(null);
        } else if (what < 120) {
            client.handle.deliver();
        } else if (what < 140) {
            client.follower.show(1 + chance.nextInt(3));
        } else if (what < 160) {
            client.work();
        } else if (what < 166) {
            client.askAgain();
        } else if (what < 176) {
            client.connect();
        } else if (what < 180) {
            time.advance(Duration.ofMillis(chance.nextInt(60)));
        } else if (what < 184) {
            client.asleep = chance.nextInt(60);
        } else if (what < 186) {
            client.permits = 2 + chance.nextInt(4);
        } else if (!calm) {
            fault(client, what);
        }
    }

    private void fault(SimClient client, int what) {
        if (what < 189) {
            client.disconnect();
        } else if (what < 191) {
            client.loseSession();
        } else if (what < 192 && client.index == 0) {
            client.crash();
        } else if (what < 194) {
            client.store.inspect(NamePattern.of(LOCK));
        }
    }

    /** Everything that was sent is carried out and answered. */
    private void settle() {
        boolean isBusy = true;
        for (int i = 0; isBusy && i < 10_000; i++) {
            isBusy = false;
            for (SimClient each : clients) {
                if (!each.isDead) {
                    each.asleep = 0;
                    each.connect();
                    each.handle.serve(null);
                    each.follower.sync();
                    while (each.handle.deliver()) {
                        judge.look();
                    }
                    isBusy |= !each.handle.isIdle();
                    isBusy |= clients.stream().anyMatch(other -> !other.isDead && other.follower.isBehind());
                }
            }
        }
        if (isBusy) {
            throw new AssertionError("no end of requests");
        }
    }

    /** Without asking again: by watches and announcements alone. */
    private void requireThatAllWhoHoldKnow() {
        for (SimClient each : clients) {
            for (Claim claim : each.asking.values()) {
                boolean knows = each.signalled.contains(claim.id());
                if (holds(claim) && !knows) {
                    throw new AssertionError(claim.id() + " does not know that it has the lock");
                }
            }
        }
    }

    private boolean holds(Claim claim) {
        try {
            List<String> children = ensemble.leader.children(PATH);
            List<NodeName> all = new ArrayList<>(NodeName.claims(children, PATH));
            if (NodeName.isWorn(all)) {
                return false;
            }
            all.sort((one, two) -> Integer.compare(one.sequence(), two.sequence()));
            Listing listing = new Listing(Code.OK, children, null);
            List<String> names = new ArrayList<>(listing.kept());
            all.forEach(each -> names.add(each.name()));
            List<Place.Node> queue = listing.withShares(names);
            String prefix = NodeName.prefix(claim.id(), claim.share());
            return queue.subList(0, Place.holders(queue)).stream()
                    .anyMatch(each -> each.name().startsWith(prefix));
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
    }

    /** All release what they have, and ask again for what they wait for, until nothing is left. */
    private void finish() {
        clients.stream().filter(each -> each.isDead).forEach(each -> end(each.handle.getSessionId()));
        for (int i = 0; i < 40; i++) {
            settle();
            for (SimClient each : clients) {
                List.copyOf(each.asking.values()).forEach(each::ask);
                settle();
                for (LeaseId lease : judge.allOf(each.name)) {
                    judge.over(lease);
                    each.store.release(lease, Duration.ZERO);
                }
            }
            time.advance(Duration.ofMillis(900));
        }
        settle();
        for (SimClient each : clients) {
            if (!each.asking.isEmpty()) {
                throw new AssertionError("still waiting: " + each.asking.keySet());
            }
        }
        try {
            // What keeps the lock after a client that has crashed stays until the next claim finds it in its way.
            List<String> left = ensemble.leader.children(PATH).stream()
                    .filter(each -> !NodeName.isKept(each))
                    .toList();
            if (!left.isEmpty()) {
                throw new AssertionError("left behind: " + left);
            }
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
        clients.forEach(each -> each.store.close());
    }

    String text() {
        return String.join("\n", log);
    }

    int grants() {
        return judge.grants();
    }
}
