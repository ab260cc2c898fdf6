package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The queue watch judges the order of service between processes, from the node's answers alone: who was told that it stands
 * in the queue, in which order, and who has been served since. It shares no code with the node, so that it can catch the
 * node.
 */
final class SimQueueWatch {

    private final SimFindings findings;
    private final boolean oneClaimEach;
    private final Map<String, Map<ClaimId, Long>> queues = new LinkedHashMap<>();

    SimQueueWatch(SimFindings findings, boolean oneClaimEach) {
        this.findings = findings;
        this.oneClaimEach = oneClaimEach;
    }

    private final Map<ClaimId, Integer> shares = new HashMap<>();

    void stands(String lock, ClaimId claim, SimRequest.Ask ask, long micros) {
        shares.putIfAbsent(claim, ask.claim().share());
        long aliveUntil = micros + WaitingRules.aliveFor(ask.claim().lease()).toNanos() / 1000;
        Map<ClaimId, Long> queue = queue(lock);
        Long before = queue.get(claim);
        if (before != null && before <= micros) {
            queue.remove(claim);
        }
        queue.put(claim, aliveUntil);
        if (oneClaimEach && !ask.claim().isShared()) {
            for (Map.Entry<ClaimId, Long> other : queue.entrySet()) {
                if (!other.getKey().equals(claim)
                        && other.getKey().client().equals(claim.client())
                        && shares.getOrDefault(other.getKey(), 0) == 1
                        && other.getValue() > micros) {
                    findings.add(
                            "ONE CLAIM", claim + " stands in the queue of '" + lock + "' beside " + other.getKey());
                }
            }
        }
    }

    /** Notes that a claim was withdrawn; returns whether it stood in the queue and was alive. */
    boolean left(String lock, ClaimId claim, long micros) {
        Long aliveUntil = queue(lock).remove(claim);
        return aliveUntil != null && aliveUntil > micros;
    }

    void served(String lock, ClaimId claim, long micros) {
        Iterator<Map.Entry<ClaimId, Long>> waiters = queue(lock).entrySet().iterator();
        while (waiters.hasNext()) {
            Map.Entry<ClaimId, Long> waiter = waiters.next();
            if (waiter.getKey().equals(claim)) {
                break;
            }
            if (waiter.getValue() > micros) {
                findings.add(
                        "ORDER",
                        claim + " was granted '" + lock + "' before " + waiter.getKey()
                                + ", which stood in the queue longer");
            } else {
                waiters.remove();
            }
        }
        queue(lock).remove(claim);
    }

    /** Returns the share of a claim: that of its first arrival in the queue. */
    int shareOf(Claim claim) {
        return shares.getOrDefault(claim.id(), claim.share());
    }

    /** Returns the share of the first live waiter, or 0 if nobody waits. */
    int firstShare(String lock, long micros) {
        for (Map.Entry<ClaimId, Long> waiter : queue(lock).entrySet()) {
            if (waiter.getValue() > micros) {
                return shares.getOrDefault(waiter.getKey(), 0);
            }
        }
        return 0;
    }

    boolean isWaitedFor(String lock, long micros) {
        return queue(lock).values().stream().anyMatch(aliveUntil -> aliveUntil > micros);
    }

    void forget() {
        queues.clear();
    }

    private Map<ClaimId, Long> queue(String lock) {
        return queues.computeIfAbsent(lock, name -> new LinkedHashMap<>());
    }
}
