package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** A claim trace is one random run of a client over a scripted ensemble, and all that it sent, answered and signalled. */
final class ClaimTrace {

    static final int SESSIONS = 12;

    private static final int STRANGER = 99;
    private static final String[] LOCKS = {"one", "two"};
    private static final Code[] REFUSALS = {
        Code.THROTTLEDOP, Code.OPERATIONTIMEOUT, Code.NOAUTH, Code.INVALIDACL, Code.NONODE, Code.SESSIONEXPIRED
    };
    private static final Duration[] LEASES = {Duration.ofMillis(300), Duration.ofSeconds(3), Duration.ofMinutes(10)};

    private final SplittableRandom chance;
    private final List<ScriptedHandle> handles;
    private final VirtualTime time = new VirtualTime();
    private final ScriptedTree tree = new ScriptedTree(() -> time.now().wallMicros() / 1_000);
    private final List<String> lines = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<LeaseId> leases = new ArrayList<>();
    private final boolean own;
    private final boolean faulty;
    private final int refusesOneIn;
    private final boolean knowsConnection;
    private final OpenZooKeeperStore store;
    private CuratorConnection.@Nullable Events events;
    private ScriptedHandle handle;
    private int session;
    private boolean isConnected;
    private boolean isClosed;
    private long counter;

    ClaimTrace(long seed, List<ScriptedHandle> handles) {
        this.chance = new SplittableRandom(seed);
        this.handles = handles;
        this.own = chance.nextBoolean();
        this.faulty = chance.nextInt(4) != 0;
        this.refusesOneIn = chance.nextInt(5, 50);
        this.knowsConnection = chance.nextBoolean();
        this.handle = handles.get(0);
        handle.begin(0, tree, this::log);
        this.store = new OpenZooKeeperStore("scripted", context(), new Paths("", ""), new ScriptedLink());
        boolean worn = chance.nextInt(6) == 0;
        try {
            if (worn || chance.nextBoolean()) {
                for (String path : new String[] {"/leasehold", "/leasehold/locks", path("one"), path("two")}) {
                    tree.create(path, new byte[0], CreateMode.PERSISTENT, 0);
                }
            }
            if (worn) {
                tree.number(path("one"), Integer.MAX_VALUE - 3);
            }
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
    }

    private static String path(String lock) {
        return "/leasehold/locks/" + lock;
    }

    private StoreContext context() {
        return new StoreContext("c", "owner", "", time, Duration.ofSeconds(5), new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                leases.add(grant.lease());
                log("signal granted " + grant.lease() + ' ' + grant.spare() + ' ' + validity);
            }

            @Override
            public void doubt(@Nullable String lock) {
                log("signal doubt " + lock);
            }

            @Override
            public void risk(@Nullable String lock) {
                log("signal risk " + lock);
            }
        });
    }

    private void log(String line) {
        lines.add(time.nanos() + " " + line);
    }

    private final class ScriptedLink implements CuratorConnection {
        @Override
        public void start(Events heard) {
            events = heard;
            log("link started");
        }

        @Override
        public boolean isOwn() {
            return own;
        }

        @Override
        public @Nullable ClockReading connectedSince(ZooKeeper of) {
            return knowsConnection ? time.now() : null;
        }

        @Override
        public void close() {
            log("link closed");
        }
    }

    // ---- the run ---------------------------------------------------------------------------------------------------

    List<String> run(int steps) {
        for (int step = 0; step < steps; step++) {
            step();
        }
        finish();
        return lines;
    }

    private void step() {
        int what = chance.nextInt(100);
        if (what < 26) {
            handle.serve(refusal());
        } else if (what < 56) {
            handle.deliver();
        } else if (what < 66) {
            settle(chance.nextInt(8));
        } else if (what < 72) {
            claim();
        } else if (what < 77) {
            again();
        } else if (what < 81) {
            renew();
        } else if (what < 86) {
            release();
        } else if (what < 88) {
            withdraw();
        } else if (what < 92) {
            pass();
        } else if (what < 97) {
            stranger();
        } else {
            connection();
        }
    }

    private @Nullable Code refusal() {
        return faulty && chance.nextInt(refusesOneIn) == 0 ? REFUSALS[chance.nextInt(REFUSALS.length)] : null;
    }

    private void settle(int most) {
        for (int i = 0; i < most && isConnected; i++) {
            handle.serve(null);
            while (handle.deliver()) {}
        }
    }

    private <T> void answered(String what, CompletionStage<T> stage) {
        long asked = ++counter;
        log("ask " + asked + ' ' + what);
        stage.whenComplete((answer, failure) -> {
            log("answer " + asked + ' ' + (failure == null ? answer : failure.toString()));
            if (answer instanceof ClaimAnswer.Granted granted) {
                leases.add(granted.lease());
            }
        });
    }

    private <T> @Nullable T any(List<T> of) {
        // The last ones are those that matter.
        return of.isEmpty() ? null : of.get(Math.max(0, of.size() - 1 - chance.nextInt(4)));
    }

    private void claim() {
        Claim claim = new Claim(
                new ClaimId("c", claims.size() + 1),
                LOCKS[chance.nextInt(LOCKS.length)],
                LEASES[chance.nextInt(LEASES.length)],
                chance.nextInt(3),
                chance.nextInt(4) != 0);
        claims.add(claim);
        answered("claim " + claim, store.claim(claim));
    }

    private void again() {
        Claim claim = any(claims);
        if (claim != null) {
            Claim same = chance.nextBoolean()
                    ? claim
                    : new Claim(claim.id(), claim.lock(), LEASES[chance.nextInt(LEASES.length)], claim.spare(), true);
            answered("claim again " + same, store.claim(same));
        }
    }

    private void renew() {
        LeaseId lease = any(leases);
        if (lease != null) {
            Duration duration = LEASES[chance.nextInt(LEASES.length)];
            answered("renew " + lease + ' ' + duration, store.renew(lease, duration));
        }
    }

    private void release() {
        LeaseId lease = any(leases);
        if (lease != null) {
            Duration keep = chance.nextInt(3) == 0 ? Duration.ofMillis(chance.nextInt(2_000)) : Duration.ZERO;
            answered("release " + lease + ' ' + keep, store.release(lease, keep));
        }
    }

    private void withdraw() {
        Claim claim = any(claims);
        if (claim != null) {
            answered("withdraw " + claim.id(), store.withdraw(claim.lock(), claim.id()));
        }
    }

    private void pass() {
        long most = new long[] {20, 400, 2_000, 8_000}[chance.nextInt(4)];
        time.advance(Duration.ofMillis(chance.nextLong(most)));
        if (chance.nextInt(20) == 0) {
            time.jumpWallClock(Duration.ofMinutes(1));
        }
    }

    private void stranger() {
        String lock = path(LOCKS[chance.nextInt(LOCKS.length)]);
        try {
            int what = chance.nextInt(12);
            if (what < 5) {
                tree.create(
                        lock + "/1-s-1-",
                        "0\nstranger".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        CreateMode.EPHEMERAL_SEQUENTIAL,
                        STRANGER);
            } else if (what < 10) {
                List<String> all = tree.children(lock).stream()
                        .filter(each -> each.startsWith("1-s-") || (what == 9 && each.startsWith("1-")))
                        .toList();
                if (!all.isEmpty()) {
                    String left = all.get(chance.nextInt(all.size()));
                    tree.delete(lock + '/' + left);
                    if (chance.nextBoolean()) {
                        tree.write(lock, NodeData.text(left));
                    }
                }
            } else if (what == 10) {
                tree.create(
                        lock + "/1-keep-" + counter,
                        new NodeData.Keep(counter, 500).bytes(),
                        CreateMode.PERSISTENT,
                        STRANGER);
            } else if (chance.nextInt(8) == 0) {
                tree.create(lock + "/2-newer", new byte[0], CreateMode.PERSISTENT, STRANGER);
            } else if (tree.has(lock + "/2-newer")) {
                tree.delete(lock + "/2-newer");
            }
        } catch (ScriptedTree.Refused e) {
            log("stranger refused");
        }
    }

    private void connection() {
        CuratorConnection.Events heard = events;
        if (heard == null) {
            return;
        }
        if (!isConnected) {
            connect(heard);
            return;
        }
        if (!faulty) {
            return;
        }
        boolean over = session < SESSIONS && chance.nextInt(3) == 0;
        log(over ? "session over" : "connection lost");
        heard.suspended();
        if (over) {
            long ended = handle.getSessionId();
            if (chance.nextBoolean()) {
                tree.end(ended);
            }
            handle.end();
            heard.lost();
        } else {
            handle.fail(Code.CONNECTIONLOSS);
        }
        isConnected = false;
        if (over) {
            session = -session;
        }
    }

    private void connect(CuratorConnection.Events heard) {
        if (session <= 0) {
            session = -session + 1;
            handle = handles.get(session - 1);
            handle.begin(session, tree, this::log);
        }
        isConnected = true;
        log("connected " + session);
        heard.connected(handle);
    }

    /** Everything is carried out, then the client closes. */
    private void finish() {
        CuratorConnection.Events heard = events;
        if (heard == null) {
            return;
        }
        if (!isConnected && (session > 0 || -session < SESSIONS)) {
            connect(heard);
        }
        for (int i = 0; i < 20; i++) {
            settle(500);
            time.advance(Duration.ofMillis(700));
        }
        log("close");
        store.close();
        settle(500);
        for (String lock : LOCKS) {
            try {
                log(lock + ' ' + tree.children(path(lock)));
            } catch (ScriptedTree.Refused e) {
                log(lock + " is not there");
            }
        }
    }
}
