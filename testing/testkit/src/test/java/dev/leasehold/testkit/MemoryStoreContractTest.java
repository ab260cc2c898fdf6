package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import java.util.ServiceLoader;

/** These tests run the store in memory, on virtual time. */
class MemoryStoreContractTest extends StoreContract {

    private final VirtualTime time = new VirtualTime();

    @Override
    protected StoreFactory store() {
        return memory();
    }

    @Override
    protected TimeSource time() {
        return time;
    }

    @Override
    protected void letPass(Duration duration) {
        time.advance(duration);
    }

    static StoreFactory memory() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .create(StoreUri.parse("memory:"));
    }
}
