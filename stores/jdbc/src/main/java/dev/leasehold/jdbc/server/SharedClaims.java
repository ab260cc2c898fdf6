package dev.leasehold.jdbc.server;

import dev.leasehold.spi.ClaimId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shared claims are those of one client that have, or may get, a lease which shares its lock: their renewals go to another
 * row than those of exclusive leases. Thread-safe. Only a hint: the renewal of a lease that is not known here finds its row
 * in a transaction.
 */
final class SharedClaims {

    private static final int MOST = 100_000;

    private final Set<ClaimId> claims = ConcurrentHashMap.newKeySet();

    void add(ClaimId claim) {
        if (claims.size() >= MOST) {
            claims.clear();
        }
        claims.add(claim);
    }

    void remove(ClaimId claim) {
        claims.remove(claim);
    }

    boolean contains(ClaimId claim) {
        return claims.contains(claim);
    }
}
