package dev.leasehold.benchmarks.peer;

import dev.leasehold.benchmarks.server.StoreKind;
import java.time.Duration;

/**
 * A target is what a client connects to.
 *
 * @param uri as Leasehold takes it; of a quorum {@code redlock://host:port,…}
 * @param lease how long leases are, where the library takes that from its user
 * @param threads how many threads will use the client, for libraries whose users size a pool of connections
 */
public record Target(StoreKind store, String uri, Duration lease, int threads) {}
