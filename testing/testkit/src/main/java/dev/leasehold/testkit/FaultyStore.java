package dev.leasehold.testkit;

import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.Objects;

/**
 * A faulty store loses, delays and repeats its messages by plan. It stands between the engine and any real store, so that
 * the faults of TCP can be shown on stores that have no network. Thread-safe.
 */
final class FaultyStore implements StoreFactory {

    private final StoreFactory real;
    private final boolean sound;
    private volatile FaultPlan plan = FaultPlan.none();

    /**
     * Wraps a store, without faults at first.
     *
     * @param real the store that carries the requests out
     */
    public FaultyStore(StoreFactory real) {
        this(real, false);
    }

    private FaultyStore(StoreFactory real, boolean sound) {
        this.real = Objects.requireNonNull(real, "real");
        this.sound = sound;
    }

    /**
     * Wraps a store that loses nothing itself, because its server runs throughout and beside the test. Only what the plan
     * delays can come late then, so the engine need not wait for the real store's request horizon.
     */
    static FaultyStore overSound(StoreFactory real) {
        return new FaultyStore(real, true);
    }

    Duration horizonOf(Store open) {
        return sound ? Duration.ZERO : open.requestHorizon();
    }

    /**
     * Changes the plan from now on, for all clients. Messages on their way keep the fault that they have.
     *
     * @param next the plan
     */
    public void plan(FaultPlan next) {
        plan = Objects.requireNonNull(next, "next");
    }

    FaultPlan plan() {
        return plan;
    }

    /** {@return the store behind, without faults} */
    public StoreFactory real() {
        return real;
    }

    @Override
    public Store open(StoreContext context) {
        StoreContext wrapped = new StoreContext(
                context.identity(),
                context.owner(),
                context.namespace(),
                context.time(),
                context.storeTimeout(),
                new FaultySignals(this, context.signals(), context.time()));
        return new FaultyConnection(this, real.open(wrapped), context.time());
    }

    @Override
    public String kind() {
        return real.kind();
    }

    @Override
    public String toString() {
        return real.toString();
    }
}
