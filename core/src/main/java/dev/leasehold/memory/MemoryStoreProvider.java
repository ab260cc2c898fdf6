package dev.leasehold.memory;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The memory store provider makes stores in memory. {@code memory:} is a space of its own, shared only by the clients that
 * open the very same factory; {@code memory:NAME} is one space for all clients in this JVM that name it, and stays until the
 * JVM ends. All clients of a space must live by the same time.
 */
public final class MemoryStoreProvider implements StoreProvider {

    private static final String SCHEME = "memory";
    private static final ConcurrentHashMap<String, MemorySpace> SHARED = new ConcurrentHashMap<>();

    /** Makes the provider, for {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(SCHEME);
    }

    @Override
    public StoreFactory create(StoreUri uri) {
        if (!uri.options().isEmpty()) {
            throw new IllegalArgumentException("unknown option leasehold."
                    + uri.options().keySet().iterator().next() + " in '" + uri + "': a store in memory has no options");
        }
        String name = uri.text().substring(uri.text().indexOf(':') + 1);
        if (name.indexOf('?') >= 0) {
            String shown = uri.toString(); // Without passwords, unlike the name.
            throw new IllegalArgumentException(
                    "unknown option '" + shown.substring(shown.indexOf('?') + 1) + "' in '" + shown + "'");
        }
        return name.isEmpty()
                ? new MemorySpace(SCHEME + ':')
                : SHARED.computeIfAbsent(name, key -> new MemorySpace(SCHEME + ':' + key));
    }
}
