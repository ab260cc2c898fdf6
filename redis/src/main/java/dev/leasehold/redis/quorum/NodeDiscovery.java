package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks all nodes for their clocks and runs, before the first attempt of a client: its proposals are made from their clocks, and
 * their runs say which is the gate. With the majority one may begin; a little later, all of whom see the same nodes, and so the
 * same gate.
 */
final class NodeDiscovery implements ClaimStep {

    private final Quorum quorum;
    private final SerialExecutor serial;
    private final Consumer<NodeDiscovery> done;
    private final SerialTimer limit;
    private final @Nullable NodeFailure[] misses;
    private int open;
    private boolean over;

    /**
     * Makes one, which does nothing before {@link #begin()}.
     *
     * @param done is told once: a majority of the nodes is known, or all have answered or failed to
     */
    NodeDiscovery(Quorum quorum, SerialExecutor serial, Consumer<NodeDiscovery> done) {
        this.quorum = quorum;
        this.serial = serial;
        this.done = done;
        limit = new SerialTimer(quorum.time(), serial);
        misses = new NodeFailure[quorum.size()];
        open = quorum.size();
    }

    void begin() {
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            quorum.voter(i)
                    .look()
                    .whenComplete((view, failure) -> serial.execute(() -> {
                        if (view != null) {
                            quorum.saw(node, view);
                        }
                        misses[node] = view != null ? null : NodeFailure.of(failure);
                        open--;
                        learnt();
                    }));
        }
    }

    private void learnt() {
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

    /** What a node has answered, in words. */
    String words(int node) {
        NodeFailure miss = misses[node];
        return miss == null ? "answered" : miss.words();
    }

    /** Whether a node has refused in a way that trying again will not change. */
    boolean isRefused(int node) {
        NodeFailure miss = misses[node];
        return miss != null && miss.refused();
    }

    @Override
    public void stop() {
        over = true;
        limit.stop();
    }

    @Override
    public CompletableFuture<@Nullable Void> sweep() {
        return CompletableFuture.completedFuture(null);
    }
}
