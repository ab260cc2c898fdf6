package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store fixture is what one test of the suite works with: a store, its clients, and time. Opaque outside of the suite.
 */
public final class StoreFixture implements AutoCloseable {

    private static final Duration STEP = Duration.ofMillis(10);

    private final StoreFactory factory;
    private final TimeSource time;
    private final Consumer<Duration> letPass;
    private final List<StoreClient> clients = new ArrayList<>();

    private final boolean handsOverInTheSameStep;

    StoreFixture(StoreFactory factory, TimeSource time, Consumer<Duration> letPass, boolean handsOverInTheSameStep) {
        this.factory = factory;
        this.time = time;
        this.letPass = letPass;
        this.handsOverInTheSameStep = handsOverInTheSameStep;
    }

    /** Waits for a waiter to become the holder, where that takes a moment after the release was answered. */
    void handedOver(String lock, StoreClient to) {
        if (!handsOverInTheSameStep) {
            eventually("'" + lock + "' is handed over to " + to.owner, () -> to.holds(lock));
        }
    }

    /** Skips the test unless the store grants these shares. */
    StoreFixture granting(int... shares) {
        Sharing sharing = sharing();
        for (int share : shares) {
            assumeThat(sharing.includes(share))
                    .as("the store grants the share %s", share)
                    .isTrue();
        }
        return this;
    }

    /** Skips the test unless the store makes readers of writers. */
    StoreFixture downgrading() {
        assumeThat(sharing().canDowngrade()).as("the store has downgrades").isTrue();
        return granting(Claim.UNLIMITED);
    }

    private Sharing sharing() {
        return client().store.sharing();
    }

    StoreClient client() {
        return client("");
    }

    StoreClient client(String namespace) {
        StoreClient client = new StoreClient(factory, namespace, "client-" + (clients.size() + 1), time);
        clients.add(client);
        return client;
    }

    /** Opens the store for a client that must not be asked for its id yet. */
    Store openWithoutId() {
        Supplier<String> tooEarly = () -> {
            throw new AssertionError("the client's id was asked for before the store was used");
        };
        return factory.open(
                new StoreContext(tooEarly, "snapshot", "", time, StoreClient.STORE_TIMEOUT, new NoSignals()));
    }

    /** Returns a name that no other test uses. */
    String lock() {
        return "lock-" + UUID.randomUUID();
    }

    TimeSource time() {
        return time;
    }

    void letPass(Duration duration) {
        letPass.accept(duration);
    }

    /** Waits until something is so, and returns how long that took. */
    Duration eventually(String what, BooleanSupplier condition) {
        long start = time.nanos();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(time.nanos() - start))
                    .as("waiting until %s", what)
                    .isLessThan(ClientFixture.LONGEST_WAIT);
            letPass.accept(STEP);
        }
        return Duration.ofNanos(time.nanos() - start);
    }

    /** Closes the clients. */
    @Override
    public void close() {
        clients.forEach(StoreClient::close);
    }
}
