package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A SharedJudge judges what the holders of one lock believe: never more than the smallest share among them, no slot twice,
 * tokens that increase for each slot and from each exclusive lease to all later ones.
 */
final class SharedJudge {

    private static final class Belief {
        private final String client;
        private final LeaseId lease;
        private final int slot;
        private int share;
        private boolean isOver;
        private boolean isBroken;
        private long keptUntil = Long.MIN_VALUE;
        private Validity validity;

        Belief(String client, LeaseId lease, int slot, int share, Validity validity) {
            this.client = client;
            this.lease = lease;
            this.slot = slot;
            this.share = share;
            this.validity = validity;
        }
    }

    private final TimeSource time;
    private final Map<LeaseId, Belief> beliefs = new LinkedHashMap<>();
    private final Map<Integer, Long> lastOfSlot = new HashMap<>();
    private final Set<Long> tokens = new HashSet<>();
    private @Nullable AssertionError failure;
    private long lastExclusive;
    private long last;

    SharedJudge(TimeSource time) {
        this.time = time;
    }

    private void fail(String why) {
        // Kept as well, because what is thrown while an answer is delivered reaches nobody.
        failure = new AssertionError(why);
        throw failure;
    }

    void granted(String client, int share, ClaimAnswer.Granted grant) {
        Belief known = beliefs.get(grant.lease());
        if (known != null) {
            if (known.slot != grant.slot()) {
                fail("another slot than before: " + grant);
            }
            extended(grant.lease(), grant.validity());
            return;
        }
        long token = grant.lease().token();
        if (!tokens.add(token)) {
            fail("the same token twice: " + grant);
        }
        if (token < lastExclusive || (share == Claim.EXCLUSIVE && token < last)) {
            fail("an older token than one that it excludes: " + grant);
        }
        if (Claim.hasSlots(share)) {
            if (grant.slot() < 0 || grant.slot() >= share) {
                fail("no slot of its own: " + grant);
            }
            Long before = lastOfSlot.put(grant.slot(), token);
            if (before != null && before >= token) {
                fail("an older token in the same slot: " + grant);
            }
        }
        lastExclusive = share == Claim.EXCLUSIVE ? token : lastExclusive;
        last = Math.max(last, token);
        beliefs.put(grant.lease(), new Belief(client, grant.lease(), grant.slot(), share, grant.validity()));
        look();
    }

    void extended(LeaseId lease, Validity validity) {
        Belief belief = beliefs.get(lease);
        if (belief != null && validity.deadline() - belief.validity.deadline() > 0) {
            belief.validity = validity;
        }
    }

    void reads(LeaseId lease) {
        Belief belief = beliefs.get(lease);
        if (belief != null && belief.share == Claim.EXCLUSIVE) {
            belief.share = Claim.UNLIMITED;
        }
    }

    void over(LeaseId lease) {
        Belief belief = beliefs.get(lease);
        if (belief != null) {
            belief.isOver = true;
        }
    }

    /** The lock is kept after a lease, with its share and slot, until that time at least. */
    void kept(LeaseId lease, long until) {
        Belief belief = beliefs.get(lease);
        if (belief != null) {
            belief.keptUntil = until;
        }
    }

    void broken(LeaseId lease) {
        Belief belief = beliefs.get(lease);
        if (belief != null) {
            belief.isBroken = true;
        }
    }

    void allOver(String client) {
        beliefs.values().stream().filter(each -> each.client.equals(client)).forEach(each -> each.isOver = true);
    }

    List<LeaseId> allOf(String client) {
        return beliefs.values().stream()
                .filter(each -> each.client.equals(client) && !each.isOver)
                .map(each -> each.lease)
                .toList();
    }

    @Nullable LeaseId anyOf(String client, SplittableRandom chance) {
        List<LeaseId> all = allOf(client);
        return all.isEmpty() ? null : all.get(chance.nextInt(all.size()));
    }

    int grants() {
        return beliefs.size();
    }

    void look() {
        if (failure != null) {
            throw failure;
        }
        List<Belief> valid = new ArrayList<>();
        long now = time.nanos();
        for (Belief each : beliefs.values()) {
            boolean isValid = !each.isOver && each.validity.nanosLeft(now) > 0;
            if (!each.isBroken && (isValid || each.keptUntil > now)) {
                valid.add(each);
            }
        }
        Set<Integer> slots = new HashSet<>();
        for (Belief each : valid) {
            if (valid.size() > each.share) {
                fail(valid.size() + " hold beside one with the share " + each.share + ": " + each.lease);
            }
            if (Claim.hasSlots(each.share) && !slots.add(each.slot)) {
                fail("the slot " + each.slot + " twice: " + each.lease);
            }
        }
    }
}
