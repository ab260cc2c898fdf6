package dev.leasehold.redis.quorum;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks all nodes for their clocks and runs, before the first attempt of a client: its proposals are made from their clocks, and
 * their runs say which is the gate. With the majority one may begin; a little later, all of whom see the same nodes, and so the
 * same gate.
 */
final class Learning implements Step {

    private final Quorum quorum;
    private final Turns turns;
    private final Consumer<Learning> done;
    private final Alarm limit;
    private final @Nullable Miss[] misses;
    private int open;
    private boolean over;

    /**
     * Makes one, which does nothing before {@link #begin()}.
     *
     * @param done is told once: a majority of the nodes is known, or all have answered or failed to
     */
    Learning(Quorum quorum, Turns turns, Consumer<Learning> done) {
        this.quorum = quorum;
        this.turns = turns;
        this.done = done;
        limit = new Alarm(quorum.time(), turns);
        misses = new Miss[quorum.size()];
        open = quorum.size();
    }

    void begin() {
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            quorum.voter(i)
                    .look()
                    .whenComplete((view, failure) -> turns.run(() -> {
                        if (view != null) {
                            quorum.saw(node, view);
                        }
                        misses[node] = view != null ? null : Miss.of(failure);
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
        Miss miss = misses[node];
        return miss == null ? "answered" : miss.words();
    }

    /** Whether a node has refused in a way that trying again will not change. */
    boolean isRefused(int node) {
        Miss miss = misses[node];
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
