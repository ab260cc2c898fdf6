package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A simulated fence is the resource's side: a resource for each lock, and one for each slot of a semaphore. It keeps two
 * numbers, the greatest token of a writer and the greatest of all, and a version that each accepted write changes.
 */
final class SimFence {

    private static final class Resource {
        long newest;
        long exclusive;
        long version;
    }

    private final Set<SimGuard> off;
    private final Map<String, Resource> resources = new HashMap<>();

    SimFence(Set<SimGuard> off) {
        this.off = new HashSet<>(off);
    }

    static String resource(SimHold hold) {
        return hold.lease().name()
                + hold.lease().slot().stream()
                        .mapToObj(slot -> "/" + slot)
                        .findFirst()
                        .orElse("");
    }

    /** Registers a hold, and writes if it is no reader; returns whether it was accepted. */
    boolean register(SimHold hold) {
        Resource resource = resources.computeIfAbsent(resource(hold), name -> new Resource());
        long token = hold.lease().token();
        if (hold.share() == Claim.UNLIMITED) {
            if (token < resource.exclusive) {
                return false;
            }
            if (!off.contains(SimGuard.FENCE_READER_RAISES_NEWEST)) {
                resource.newest = Math.max(resource.newest, token);
            }
            return true;
        }
        long least = off.contains(SimGuard.FENCE_REFUSES_WRITERS_BELOW_NEWEST) ? resource.exclusive : resource.newest;
        if (token < least) {
            return false;
        }
        resource.newest = Math.max(resource.newest, token);
        if (!off.contains(SimGuard.FENCE_WRITER_RAISES_EXCLUSIVE)) {
            resource.exclusive = Math.max(resource.exclusive, token);
        }
        resource.version++;
        return true;
    }

    long version(SimHold hold) {
        return resources.computeIfAbsent(resource(hold), name -> new Resource()).version;
    }
}
