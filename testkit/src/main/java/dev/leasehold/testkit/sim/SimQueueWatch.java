package dev.leasehold.testkit.sim;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Order of service between processes, from the node's answers alone: who was told that it stands in the queue, in which
 * order, and who has been served since. It shares no code with the node, so that it can catch the node.
 */
final class SimQueueWatch {

    private final SimFindings findings;
    private final boolean oneClaimEach;
    private final Map<String, Map<ClaimId, Long>> queues = new LinkedHashMap<>();

    SimQueueWatch(SimFindings findings, boolean oneClaimEach) {
        this.findings = findings;
        this.oneClaimEach = oneClaimEach;
    }

    void stands(String lock, ClaimId claim, SimRequest.Ask ask, long micros) {
        long aliveUntil = micros + WaitingRules.aliveFor(ask.claim().lease()).toNanos() / 1000;
        Map<ClaimId, Long> queue = queue(lock);
        Long before = queue.get(claim);
        if (before != null && before <= micros) {
            queue.remove(claim);
        }
        queue.put(claim, aliveUntil);
        if (oneClaimEach) {
            for (Map.Entry<ClaimId, Long> other : queue.entrySet()) {
                if (!other.getKey().equals(claim)
                        && other.getKey().client().equals(claim.client())
                        && other.getValue() > micros) {
                    findings.add(
                            "ONE CLAIM", claim + " stands in the queue of '" + lock + "' beside " + other.getKey());
                }
            }
        }
    }

    void left(String lock, ClaimId claim) {
        queue(lock).remove(claim);
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
