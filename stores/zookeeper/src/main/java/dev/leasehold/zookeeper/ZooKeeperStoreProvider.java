package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.util.Set;

/** A ZooKeeper store provider makes ZooKeeper stores from URIs: {@code zookeeper://HOST1,HOST2/PATH}. */
public final class ZooKeeperStoreProvider implements StoreProvider {

    /** Makes the provider, for {@link java.util.ServiceLoader}. */
    public ZooKeeperStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("zookeeper");
    }

    @Override
    public StoreFactory create(StoreUri uri) {
        return ZooKeeperStore.at(ZooKeeperTarget.read(uri));
    }
}
