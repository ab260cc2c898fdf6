package dev.leasehold.testtools;

import static dev.leasehold.architecture.Waits.await;

import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import java.util.concurrent.TimeUnit;

/** A connected store has answered. The first connection of a JVM may take longer than a store gives it, and only the engine tries again. */
public final class Connected {

    private Connected() {}

    /**
     * Asks the store until it answers.
     *
     * @param store which is open
     * @return the store
     */
    public static Store connected(Store store) {
        await().ignoreExceptions().until(() -> {
            store.inspect(NamePattern.of("*")).toCompletableFuture().get(1, TimeUnit.MINUTES);
            return true;
        });
        return store;
    }
}
