package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;

/**
 * A SharedSimulation is one random run of several clients that share a lock, each at a follower of its own: permits whose
 * number changes client by client, readers, mutexes, downgrades, kept leases; clients that stop for a while, crash, lose
 * their connection or their session at any step. {@link SharedJudge} judges what they believe.
 */
final class SharedSimulation {

    static final int CLIENTS = 4;
    static final int SESSIONS = 5;
    static final int HANDLES = CLIENTS * SESSIONS;

    private final SharedWorld world;

    SharedSimulation(long seed, List<ScriptedHandle> handles) {
        world = new SharedWorld(seed);
        for (int i = 0; i < CLIENTS; i++) {
            world.clients.add(new SharedClient(world, i, handles.subList(i * SESSIONS, (i + 1) * SESSIONS)));
        }
    }

    List<String> run(int steps) {
        for (int i = 0; i < steps; i++) {
            step(world.clients.get(world.chance.nextInt(CLIENTS)));
            world.judge.look();
            if (world.calm && i % 50 == 49) {
                settle();
                requireThatAllWhoHoldKnow();
            }
        }
        finish();
        return world.log;
    }

    private void step(SharedClient client) {
        if (client.isDead) {
            if (world.chance.nextInt(40) == 0) {
                world.end(client.handle.getSessionId());
            }
            return;
        }
        if (client.asleep > 0) {
            client.asleep--;
            return;
        }
        int what = world.chance.nextInt(200);
        if (what < 60) {
            client.handle.serve(null);
        } else if (what < 120) {
            client.handle.deliver();
        } else if (what < 140) {
            client.follower.show(1 + world.chance.nextInt(3));
        } else if (what < 160) {
            client.work();
        } else if (what < 166) {
            client.askAgain();
        } else if (what < 176) {
            client.connect();
        } else if (what < 180) {
            world.time.advance(Duration.ofMillis(world.chance.nextInt(60)));
        } else if (what < 184) {
            client.asleep = world.chance.nextInt(60);
        } else if (what < 186) {
            client.permits = 2 + world.chance.nextInt(4);
        } else if (!world.calm) {
            fault(client, what);
        }
    }

    private void fault(SharedClient client, int what) {
        if (what < 189) {
            client.disconnect();
        } else if (what < 191) {
            client.loseSession();
        } else if (what < 192 && client.index == 0) {
            client.crash();
        } else if (what < 194) {
            client.store.inspect(NamePattern.of(SharedWorld.LOCK));
        }
    }

    /** Everything that was sent is carried out and answered. */
    private void settle() {
        boolean isBusy = true;
        for (int i = 0; isBusy && i < 10_000; i++) {
            isBusy = false;
            for (SharedClient each : world.clients) {
                if (!each.isDead) {
                    each.asleep = 0;
                    each.connect();
                    each.handle.serve(null);
                    each.follower.sync();
                    while (each.handle.deliver()) {
                        world.judge.look();
                    }
                    isBusy |= !each.handle.isIdle();
                    isBusy |= world.clients.stream().anyMatch(other -> !other.isDead && other.follower.isBehind());
                }
            }
        }
        if (isBusy) {
            throw new AssertionError("no end of requests");
        }
    }

    /** Requires it of those who do not ask again: watches and announcements alone have to tell them. */
    private void requireThatAllWhoHoldKnow() {
        for (SharedClient each : world.clients) {
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
            List<String> children = world.ensemble.leader.children(SharedWorld.PATH);
            List<NodeName> all = new ArrayList<>(NodeName.claims(children, SharedWorld.PATH));
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
        world.clients.stream().filter(each -> each.isDead).forEach(each -> world.end(each.handle.getSessionId()));
        for (int i = 0; i < 40; i++) {
            settle();
            for (SharedClient each : world.clients) {
                List.copyOf(each.asking.values()).forEach(each::ask);
                settle();
                for (LeaseId lease : world.judge.allOf(each.name)) {
                    world.judge.over(lease);
                    each.store.release(lease, Duration.ZERO);
                }
            }
            world.time.advance(Duration.ofMillis(900));
        }
        settle();
        for (SharedClient each : world.clients) {
            if (!each.asking.isEmpty()) {
                throw new AssertionError("still waiting: " + each.asking.keySet());
            }
        }
        try {
            // What keeps the lock after a client that has crashed stays until the next claim finds it in its way.
            List<String> left = world.ensemble.leader.children(SharedWorld.PATH).stream()
                    .filter(each -> !NodeName.isKept(each))
                    .toList();
            if (!left.isEmpty()) {
                throw new AssertionError("left behind: " + left);
            }
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
        world.clients.forEach(each -> each.store.close());
    }

    String text() {
        return String.join("\n", world.log);
    }

    int grants() {
        return world.judge.grants();
    }
}
