package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node discovery finds the nodes' clocks and runs, before the first attempt of a client: proposals are made from the
 * clocks, and the runs decide which node is the gate. A majority of answers is enough to begin; a little later all
 * clients see the same nodes, and so the same gate.
 */
final class NodeDiscovery implements ClaimStep {

    private final Quorum quorum;
    private final SerialExecutor serial;
    private final Consumer<NodeDiscovery> done;
    private final SerialTimer limit;
    private final @Nullable NodeFailure[] failures;
    private int open;
    private boolean over;

    /**
     * Makes a discovery, which does nothing before {@link #begin()}.
     *
     * @param done runs once: a majority of the nodes is known, or all have answered or failed to
     */
    NodeDiscovery(Quorum quorum, SerialExecutor serial, Consumer<NodeDiscovery> done) {
        this.quorum = quorum;
        this.serial = serial;
        this.done = done;
        limit = new SerialTimer(quorum.time(), serial);
        failures = new NodeFailure[quorum.size()];
        open = quorum.size();
    }

    void begin() {
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            quorum.voter(i)
                    .look()
                    .whenComplete((status, failure) -> serial.execute(() -> {
                        if (status != null) {
                            quorum.saw(node, status);
                        }
                        failures[node] = status != null ? null : NodeFailure.of(failure);
                        open--;
                        discovered();
                    }));
        }
    }

    private void discovered() {
        if (over) {
            return;
        }
        if (open == 0) {
            finish();
        } else if (quorum.known() >= quorum.majority() && !limit.isSet()) {
            limit.set(quorum.settings().nodeTimeout(), this::finish);
        }
    }

    private void finish() {
        stop();
        done.accept(this);
    }

    /** Returns a node's answer in words. */
    String words(int node) {
        NodeFailure failure = failures[node];
        return failure == null ? "answered" : failure.words();
    }

    /** Returns whether a node has refused in a way that trying again does not change. */
    boolean isRefused(int node) {
        NodeFailure failure = failures[node];
        return failure != null && failure.refused();
    }

    @Override
    public void stop() {
        over = true;
        limit.stop();
    }

    @Override
    public CompletableFuture<@Nullable Void> cleanUp() {
        return CompletableFuture.completedFuture(null);
    }
}
