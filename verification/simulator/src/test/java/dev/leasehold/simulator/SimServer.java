package dev.leasehold.simulator;

import dev.leasehold.spi.LeaseId;
import dev.leasehold.testtools.SimClock;
import dev.leasehold.testtools.SimWorld;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A simulated server is the machine that a node runs on: it may be down, come back with or without its memory, and have
 * its wall clock set. Its steady clock is true time. It tells the judge of everything that the node has done.
 */
final class SimServer {

    /** An inbox receives the signals to one client. */
    interface Inbox {
        void signal(SimSignal signal);

        void broken();
    }

    private final SimWorld world;
    private final SimJudge judge;
    private final SimNode node;
    private final Map<String, Inbox> inboxes = new HashMap<>();
    private long wallOffset;
    /** After a loss of memory the clock is not behind the greatest token: the condition of the promise. */
    private long leastWall;

    private boolean up = true;
    private boolean refusing;

    SimServer(SimWorld world, SimJudge judge, SimNode node) {
        this.world = world;
        this.judge = judge;
        this.node = node;
    }

    void connect(String client, Inbox inbox) {
        inboxes.put(client, inbox);
    }

    void disconnect(String client) {
        inboxes.remove(client);
    }

    /** Refuses requests from now on, or no longer, in a way that trying again does not change. */
    void refuse(boolean now) {
        refusing = now;
        world.note("node", now ? "refuses" : "accepts");
    }

    boolean isRefusing() {
        return refusing;
    }

    boolean isUp() {
        return up;
    }

    void handle(SimRequest request, Consumer<SimAnswer> answer) {
        if (!up) {
            return;
        }
        SimReply reply = node.execute(request, time());
        world.note("node", "does", request, reply.answer(), reply.signals());
        judge.nodeDid(request, reply);
        for (SimSignal signal : reply.signals()) {
            Inbox inbox = inboxes.get(signal.client());
            if (inbox != null) {
                inbox.signal(signal);
            }
        }
        answer.accept(reply.answer());
    }

    void goDown() {
        up = false;
        world.note("node", "is down");
    }

    void comeBack(boolean withMemory) {
        world.note("node", withMemory ? "is back" : "is back, empty");
        if (!withMemory) {
            forget();
        }
        up = true;
        // The order of a hash map would do, as ids are the same in every run; sorted, it is also told in the same
        // order.
        inboxes.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> entry.getValue().broken());
    }

    void forget() {
        judge.nodeForgets();
        long greatest = node.greatestToken();
        node.forget();
        leastWall = Math.max(leastWall, greatest + 1);
    }

    /** Returns a request to break the lease that a lock has now. */
    SimRequest newestLease(String lock) {
        LeaseId lease = node.lease(lock);
        return new SimRequest.Break(lock, lease == null ? 0 : lease.token());
    }

    void setWall(long byMicros) {
        wallOffset += byMicros;
        world.note("node", "sets its clock by", byMicros);
    }

    private NodeTime time() {
        long wall = SimClock.wallMicrosAt(world.now()) + wallOffset;
        return new NodeTime(world.now() / 1000, Math.max(wall, leastWall));
    }
}
