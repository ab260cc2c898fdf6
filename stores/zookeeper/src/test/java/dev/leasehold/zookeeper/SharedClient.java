package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** A SharedClient is one client of a {@link SharedSimulation}, with all its sessions, one after the other. */
final class SharedClient implements CuratorConnection {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration KEPT = Duration.ofMillis(400);

    private final SharedWorld world;
    private final List<ScriptedHandle> handles;

    final int index;
    final String name;
    final ScriptedEnsemble.Follower follower;
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

    /** Creates a client with a handle for each session that it may have. */
    SharedClient(SharedWorld world, int index, List<ScriptedHandle> handles) {
        this.world = world;
        this.index = index;
        this.name = "c" + index;
        this.handles = handles;
        this.handle = handles.get(0);
        this.follower = world.ensemble.new Follower();
        this.store = new OpenZooKeeperStore(name, context(), new Paths("", ""), this);
        begin();
    }

    private StoreContext context() {
        return new StoreContext(name, name, "", world.time, Duration.ofSeconds(5), new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                if (validity == null) {
                    world.note(name + " hears of " + grant);
                    signalled.add(grant.lease().claim());
                } else {
                    world.judge.extended(grant.lease(), validity);
                }
            }

            @Override
            public void doubt(@Nullable String lock) {}
        });
    }

    private void begin() {
        handle = handles.get(used++);
        handle.begin(++world.sessions, follower.tree, follower, line -> world.note(name + ' ' + line));
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
        return world.time.now();
    }

    @Override
    public void close() {}

    void connect() {
        Events heard = events;
        if (heard != null && !isConnected && !isDead) {
            isConnected = true;
            follower.show(world.chance.nextInt(4));
            heard.connected(handle);
        }
    }

    void disconnect() {
        Events heard = events;
        if (heard != null && isConnected) {
            world.note(name + " loses its connection");
            isConnected = false;
            heard.suspended();
            handle.fail(Code.CONNECTIONLOSS);
        }
    }

    /** Its leases are over before the servers end the session. */
    void loseSession() {
        Events heard = events;
        if (heard == null || used == handles.size() || !isConnected) {
            return;
        }
        world.note(name + " loses its session");
        world.judge.allOver(name);
        long ended = handle.getSessionId();
        isConnected = false;
        heard.suspended();
        if (world.chance.nextBoolean()) {
            world.end(ended);
        }
        handle.end();
        heard.lost();
        world.end(ended);
        begin();
    }

    void crash() {
        world.note(name + " crashes");
        world.judge.allOver(name);
        isDead = true;
        isConnected = false;
        asking.clear();
    }

    void claim() {
        int what = world.chance.nextInt(10);
        int share = what < 7 ? permits : what == 7 ? Claim.EXCLUSIVE : Claim.UNLIMITED;
        Claim claim =
                new Claim(new ClaimId(name, ++count), SharedWorld.LOCK, share, LEASE, world.chance.nextInt(5) != 0);
        if (claim.enqueue()) {
            asking.put(claim.id(), claim);
        }
        ask(claim);
    }

    void ask(Claim claim) {
        world.note(name + " asks " + claim.id() + " with " + claim.share());
        store.claim(claim).whenComplete((answer, failure) -> {
            world.note(name + " is answered " + claim.id() + ' ' + (failure == null ? answer : failure));
            if (answer instanceof ClaimAnswer.Granted granted && !isDead) {
                asking.remove(claim.id());
                signalled.remove(claim.id());
                if (withdrawn.contains(claim.id())) {
                    // An answer that nobody waits for any more; the engine does the same.
                    store.release(granted.lease(), Duration.ZERO);
                } else {
                    world.judge.granted(name, claim.share(), granted);
                }
            }
        });
    }

    void askAgain() {
        for (Claim each : List.copyOf(asking.values())) {
            if (signalled.contains(each.id()) || world.chance.nextInt(4) == 0) {
                ask(each);
            }
        }
    }

    void work() {
        LeaseId lease = world.judge.anyOf(name, world.chance);
        int what = world.chance.nextInt(20);
        if (lease == null || what < 7) {
            if (asking.size() < 3) {
                claim();
            }
        } else if (what < 14) {
            release(lease, world.chance.nextInt(3) == 0 ? KEPT : Duration.ZERO);
        } else if (what < 17) {
            world.note(name + " becomes a reader " + lease);
            world.judge.reads(lease);
            renewed(lease, store.downgrade(lease, LEASE).toCompletableFuture());
        } else if (what < 18 && !world.calm) {
            world.judge.broken(lease);
            world.note("broken: " + lease);
            world.clients
                    .get(world.chance.nextInt(world.clients.size()))
                    .store
                    .breakLease(SharedWorld.LOCK, lease.token());
        } else if (what < 19 && !asking.isEmpty()) {
            Claim claim = asking.remove(asking.keySet().iterator().next());
            world.note(name + " withdraws " + claim.id());
            withdrawn.add(claim.id());
            store.withdraw(SharedWorld.LOCK, claim.id());
        } else {
            renewed(lease, store.renew(lease, LEASE).toCompletableFuture());
        }
    }

    private void release(LeaseId lease, Duration keep) {
        world.judge.over(lease);
        world.note(name + " releases " + lease + ' ' + keep);
        long sentAt = world.time.nanos();
        store.release(lease, keep).whenComplete((answer, failure) -> {
            if (answer == ReleaseAnswer.RELEASED && !keep.isZero()) {
                world.judge.kept(lease, sentAt + keep.toNanos());
            }
        });
    }

    private void renewed(LeaseId lease, CompletableFuture<RenewAnswer> answering) {
        answering.whenComplete((answer, failure) -> {
            if (answer instanceof RenewAnswer.Renewed renewed) {
                world.judge.extended(lease, renewed.validity());
            } else if (answer instanceof RenewAnswer.Lost) {
                world.note(name + " has lost " + lease);
                world.judge.over(lease);
            }
        });
    }
}
