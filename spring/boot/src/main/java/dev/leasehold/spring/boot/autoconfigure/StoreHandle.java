package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.LeaseholdBuilder;
import java.util.function.Consumer;

/**
 * A store handle is the store that was chosen, and what was opened for it, which is closed after the client.
 *
 * @param choose sets the store
 * @param closing closes what was opened
 */
record StoreHandle(Consumer<LeaseholdBuilder> choose, Runnable closing) implements AutoCloseable {

    @Override
    public void close() {
        closing.run();
    }
}
