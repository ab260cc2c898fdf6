package dev.leasehold.battery;

import java.util.EnumSet;
import java.util.Set;

/**
 * The promises of all stores under all faults are docs/guarantees.md as a table that a judge can read.
 *
 * <ul>
 *   <li>A store that forgets lets two callers hold at once, where it is one server: the masters of a quorum that have forgotten
 *       have no vote until the longest lease is over. SQLite has no server that could, but its file can be deleted. Data that ZooKeeper
 *       has forgotten are not covered: its tokens are its data.
 *   <li>Where a server's wall clock decides when a lease is over, one that is set forward ends it early: in Redis, in a database,
 *       and in a quorum while its holder has a bare majority. ZooKeeper's sessions do not go by it, nor does
 *       SQLite on Linux.
 *   <li>A slot that moves takes the keys of its locks along, each of which only one master serves at any time.
 *   <li>A pooler lends sessions, and locks in tables belong to none.
 *   <li>A lock that belongs to a session ends with it, and the holder notices at its next question. So whatever ends sessions under
 *       living holders lets two hold at once for a while; a server's clock that is set forward may end those that are idle.
 *       Rows that are deleted take none away.
 *   <li>A replica that takes over may not have heard of the last grants.
 *   <li>A leader of ZooKeeper that is lost has shared each grant with a majority.
 *   <li>A mixture is made of faults under each of which holders exclude each other, whatever else is on.
 * </ul>
 */
final class Promises {

    private static final Set<StoreKind> REDIS =
            EnumSet.of(StoreKind.REDIS, StoreKind.SENTINEL, StoreKind.REDLOCK, StoreKind.CLUSTER);

    private Promises() {}

    static Promise of(Peer peer, StoreKind store, Fault fault) {
        return peer.isOurs() ? ours(store, fault) : peers(peer, fault);
    }

    /**
     * Finds the promise in the peers' documentation. Curator's says that at no time two clients think that they have the
     * lock. The others promise it as long as no lease runs out under its holder: Redisson and Spring's registry for Redis,
     * which renew, tell nobody when one has; with ShedLock, and with Spring's registry for databases, the holder itself
     * counts the time that it has asked for, and then only a fault that deceives its clock or the store's, or makes the
     * store forget, as a replica that lags does, is beyond the promise.
     */
    private static Promise peers(Peer peer, Fault fault) {
        boolean excluded = switch (peer) {
            case CURATOR -> true;
            case REDISSON, REDISSON_FAIR, REDISSON_MULTI, SPRING_REDIS ->
                EnumSet.of(Fault.NONE, Fault.KILL, Fault.RESTART, Fault.SESSION_KILL, Fault.DELAY)
                        .contains(fault);
            default ->
                !fault.movesServerClock()
                        && !fault.forgets()
                        && !EnumSet.of(Fault.FAIL_OVER, Fault.SUSPEND, Fault.DUPLICATE, Fault.MIXED)
                                .contains(fault);
        };
        return excluded ? Promise.EXCLUDED : Promise.NONE;
    }

    private static Promise ours(StoreKind store, Fault fault) {
        if (fault.forgets() && store == StoreKind.ZOOKEEPER) {
            return Promise.NONE;
        }
        if (store.hasSessionLocks()) {
            return ofSessions(fault);
        }
        boolean fenced = switch (fault) {
            case AMNESIA, FLUSH -> store != StoreKind.REDLOCK;
            case CLOCK_FORWARD, BARE_MAJORITY_CLOCK -> store != StoreKind.ZOOKEEPER && store != StoreKind.SQLITE;
            case CLOCK_BACK -> REDIS.contains(store);
            case FAIL_OVER -> true;
            default -> false;
        };
        return fenced ? Promise.FENCED : Promise.EXCLUDED;
    }

    private static Promise ofSessions(Fault fault) {
        return switch (fault) {
            case RESTART, AMNESIA, CUT, BLACK_HOLE, SESSION_KILL, CLOCK_FORWARD, FAIL_OVER -> Promise.FENCED;
            default -> Promise.EXCLUDED;
        };
    }
}
