package dev.leasehold.engine;

import dev.leasehold.Leasehold;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;

/** These clients wait no longer than half a second for their store. */
final class ShortStoreTimeout {

    private static final Duration STORE_TIMEOUT = Duration.ofMillis(500);

    private ShortStoreTimeout() {}

    static Leasehold client(StoreFactory store) {
        return Leasehold.builder().store(store).storeTimeout(STORE_TIMEOUT).build();
    }

    static ClientSettings settings(StoreFactory store) {
        ClientSettings.Draft draft = new ClientSettings.Draft();
        draft.store(store);
        draft.storeTimeout(STORE_TIMEOUT);
        return draft.settings();
    }
}
