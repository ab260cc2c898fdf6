package dev.leasehold.redis;

import dev.leasehold.Lease;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.testtools.SimWorld;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The judge of a simulated run: it sees each grant and each hold, and says what must not have been. */
final class QuorumJudge {

    private static final long IDLE_NANOS = 20_000_000_000L;

    private final SimWorld world;
    private final int locks;
    private final BooleanSupplier watchesProgress;
    private final List<String> findings = new ArrayList<>();
    private final Map<String, List<Lease>> open = new HashMap<>();
    private final Map<String, LeaseTokens> tokens = new HashMap<>();
    private final Map<String, Integer> waited = new HashMap<>();
    private final Map<String, Long> freeSince = new HashMap<>();
    private long grants;
    private long holds;
    private long reads;

    QuorumJudge(SimWorld world, int locks, BooleanSupplier watchesProgress) {
        this.world = world;
        this.locks = locks;
        this.watchesProgress = watchesProgress;
    }

    boolean isContent() {
        return findings.isEmpty();
    }

    void find(String what) {
        findings.add(what);
    }

    void waits(String lock) {
        waited.merge(lock, 1, Integer::sum);
    }

    void waitsNoMore(String lock) {
        waited.merge(lock, -1, Integer::sum);
    }

    void granted(LeaseId lease) {
        grants++;
        tokens(lease.lock()).granted(lease);
    }

    QuorumSimulation.Report report(long seed, long attempts, String summary) {
        return new QuorumSimulation.Report(seed, grants, holds, reads, attempts, List.copyOf(findings), summary);
    }

    LeaseTokens tokens(String lock) {
        return tokens.computeIfAbsent(lock, name -> new LeaseTokens());
    }

    void begins(String lock, Lease held) {
        holds++;
        if (!held.isValid()) {
            return;
        }
        reads += held.isExclusive() ? 0 : 1;
        String wrong = tokens(lock).held(held);
        if (wrong != null) {
            findings.add("TOKENS: " + lock + " was given with " + wrong);
        }
        open.computeIfAbsent(lock, name -> new ArrayList<>()).add(held);
        world.note("judge", "sees a hold", lock, held.token());
        look();
    }

    void look() {
        open.forEach((lock, leases) -> {
            if (leases.isEmpty()) {
                return;
            }
            Lease valid = null;
            Lease alone = null;
            for (int i = leases.size() - 1; i >= 0; i--) {
                Lease one = leases.get(i);
                if (!one.isValid()) {
                    if (one.state().isFinal()) {
                        leases.remove(i);
                    }
                } else if (alone != null || (valid != null && one.isExclusive())) {
                    Lease other = alone != null ? alone : valid;
                    findings.add(
                            "EXCLUSION: " + lock + " is held with token " + one.token() + " and with " + other.token());
                } else {
                    valid = one;
                    alone = one.isExclusive() ? one : null;
                }
            }
            if (valid != null) {
                freeSince.remove(lock);
            }
        });
        if (watchesProgress.getAsBoolean()) {
            for (int i = 0; i < locks; i++) {
                lookForIdleness("lock-" + i);
            }
        }
    }

    private void lookForIdleness(String lock) {
        boolean held = open.getOrDefault(lock, List.of()).stream().anyMatch(Lease::isValid);
        if (held || waited.getOrDefault(lock, 0) == 0) {
            freeSince.remove(lock);
        } else if (world.now() - freeSince.computeIfAbsent(lock, name -> world.now()) > IDLE_NANOS) {
            findings.add("PROGRESS: nobody has got " + lock + " for 20 s although it is free");
        }
    }
}
