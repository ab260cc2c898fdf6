package dev.leasehold.simulator;

import dev.leasehold.Lease;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import dev.leasehold.testkit.HistoryChecker;
import dev.leasehold.testkit.HoldRecord;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The judge sees everything at once, as nobody in the simulation can, and reports violations: two valid leases at one
 * instant, a lease that outlives its end in the store, tokens out of order, service out of order, a lock that stays idle
 * although somebody waits.
 *
 * <p>A lease that the store has forgotten or an operator has broken is excused from exclusion, because there the promise
 * ends; never from the order of tokens, nor from telling the truth when the deadline comes.
 */
final class SimJudge {

    private final SimWorld world;
    private final SimScenario scenario;
    private final SimNode node;
    private final SimFindings findings;
    private final SimQueueWatch queues;
    private final Map<String, TreeMap<Long, SimGrant>> grants = new HashMap<>();
    private final Map<String, Long> ends = new HashMap<>();
    private final Map<String, Long> greatestSeen = new HashMap<>();
    private final Map<String, Long> greatestExclusive = new HashMap<>();
    private final Map<String, Long> idleSince = new TreeMap<>();
    private final Map<String, List<SimHold>> open = new TreeMap<>();
    private final List<SimHold> all = new ArrayList<>();
    private final SimFence fence;
    private final SimKept kept;
    private final Map<SimHold, Long> views = new HashMap<>();
    private long granted;
    private long held;

    SimJudge(SimWorld world, SimScenario scenario, SimNode node, SimFindings findings) {
        this.world = world;
        this.scenario = scenario;
        this.node = node;
        this.findings = findings;
        this.fence = new SimFence(scenario.off);
        this.kept = new SimKept(scenario, findings);
        this.queues = new SimQueueWatch(findings, scenario.calm);
    }

    void nodeDid(SimRequest request, SimReply reply) {
        String lock = request.lock();
        boolean left = request instanceof SimRequest.Withdraw withdraw && queues.left(lock, withdraw.claim(), micros());
        // Hand-overs come before the answer: a claim that finds the lock free serves the first waiter, then joins.
        TreeMap<Long, Runnable> granting = new TreeMap<>();
        for (SimSignal signal : reply.signals()) {
            if (signal instanceof SimSignal.HandedOver to) {
                granting.put(
                        to.lease().token(), () -> grant(to.lease(), to.spare(), to.share(), to.slot(), to.endMicros()));
            } else if (signal instanceof SimSignal.Broken broken) {
                SimGrant grant = grantOf(lock, broken.lease().token());
                if (grant != null) {
                    grant.excuse(scenario.shared ? grant.endMicros : ends.getOrDefault(lock, 0L));
                }
            }
        }
        if (request instanceof SimRequest.Ask ask) {
            if (reply.answer() instanceof SimAnswer.Granted granted) {
                long end = micros() + granted.leftMicros();
                granting.put(granted.lease().token(), () -> {
                    grant(granted.lease(), granted.spare(), queues.shareOf(ask.claim()), granted.slot(), end);
                    lasts(granted.lease(), end);
                });
            } else if (reply.answer() instanceof SimAnswer.Busy busy && busy.place() > 0) {
                queues.stands(lock, ask.claim().id(), ask, micros());
            }
        }
        granting.values().forEach(Runnable::run);
        if (reply.answer() instanceof SimAnswer.Renewed renewed) {
            renewed(request, micros() + renewed.leftMicros());
        }
        if (reply.answer() instanceof SimAnswer.Ended ended) {
            checkEnded(request);
            if (ended.was()) {
                checkLeft(request);
            }
        }
        if (scenario.shared) {
            checkShared(request, reply, left);
        }
        ends.put(lock, node.endOf(lock));
    }

    // In the same step a waiter has the lock, and a claim that was withdrawn has it not.
    private void checkEnded(SimRequest request) {
        String lock = request.lock();
        boolean kept = request instanceof SimRequest.Release release
                && !release.keepFor().isZero();
        if (!scenario.shared && queues.isWaitedFor(lock, micros()) && node.endOf(lock) == 0 && !kept) {
            findings.add("ORDER", request + " has handed '" + lock + "' over to nobody, although somebody waits");
        }
        LeaseId holder = node.lease(lock);
        if (request instanceof SimRequest.Withdraw withdraw
                && holder != null
                && holder.claim().equals(withdraw.claim())
                && node.isHeld(lock, holder.token(), micros())) {
            findings.add("LEFTOVERS", withdraw + " has left " + holder);
        }
    }

    // What is left in the store, since work may go on under it, ends there by itself or by an operator.
    private void checkLeft(SimRequest request) {
        for (SimGrant grant :
                grants.getOrDefault(request.lock(), new TreeMap<>()).values()) {
            boolean ends = request instanceof SimRequest.Release release
                    ? release.lease().equals(grant.lease)
                    : request instanceof SimRequest.Withdraw withdraw
                            && withdraw.claim().equals(grant.lease.claim());
            if (ends && grant.left && micros() < grant.endMicros) {
                findings.add(
                        "LEFT",
                        request + " has ended " + grant.lease + " " + (grant.endMicros - micros())
                                + " µs before its end, although it was left");
            }
        }
    }

    private void renewed(SimRequest request, long end) {
        if (request instanceof SimRequest.Renew renew) {
            lasts(renew.lease(), end);
        } else if (request instanceof SimRequest.Downgrade downgrade) {
            SimGrant grant = grantOf(downgrade.lock(), downgrade.lease().token());
            if (grant != null && grant.share == Claim.EXCLUSIVE) {
                grant.share = Claim.UNLIMITED;
            }
            lasts(downgrade.lease(), end);
        }
    }

    private void lasts(LeaseId lease, long endMicros) {
        SimGrant grant = grantOf(lease.lock(), lease.token());
        if (grant != null) {
            grant.endMicros = Math.max(grant.endMicros, endMicros);
        }
    }

    /** Checks, after each request, that all who must be admitted are, and none for longer than it was told. */
    private void checkShared(SimRequest request, SimReply reply, boolean left) {
        String lock = request.lock();
        List<SimLock.Held> live = node.holders(lock, micros());
        long smallest = Claim.UNLIMITED;
        for (SimLock.Held held : live) {
            SimGrant grant = grantOf(lock, held.lease.token());
            if (grant == null || held.kept) {
                smallest = Math.min(smallest, held.share);
                continue;
            }
            smallest = Math.min(smallest, grant.share);
            if (held.end > grant.endMicros) {
                findings.add(
                        "OWN END",
                        held.lease + " lasts until " + held.end + " in the store, its holder was told "
                                + grant.endMicros);
            }
        }
        boolean handsOver =
                reply.answer() instanceof SimAnswer.Ended ended && (ended.was() || (left && !live.isEmpty()));
        boolean asked = request instanceof SimRequest.Ask && !(reply.answer() instanceof SimAnswer.Granted);
        boolean renewed = request instanceof SimRequest.Downgrade && reply.answer() instanceof SimAnswer.Renewed;
        boolean kept = request instanceof SimRequest.Release release
                && !release.keepFor().isZero();
        int first = queues.firstShare(lock, micros());
        if ((handsOver || asked || renewed) && !kept && first > 0 && live.size() < Math.min(first, smallest)) {
            findings.add(
                    "ORDER",
                    request + " has left the first waiter of '" + lock + "' out, although it fits beside " + live.size()
                            + " holders");
        }
    }

    private void grant(LeaseId lease, int spare, int share, int slot, long endMicros) {
        TreeMap<Long, SimGrant> known = grants.computeIfAbsent(lease.lock(), name -> new TreeMap<>());
        SimGrant same = known.get(lease.token());
        if (same != null && same.lease.equals(lease)) {
            return;
        }
        queues.served(lease.lock(), lease.claim(), micros());
        Map.Entry<Long, SimGrant> last = known.lastEntry();
        if (last != null && last.getKey() + last.getValue().spare >= lease.token()) {
            findings.add("TOKENS", lease + " was granted after a run up to " + (last.getKey() + last.getValue().spare));
        }
        SimGrant grant = new SimGrant(lease, spare, share, slot, world.now());
        grant.endMicros = endMicros;
        known.put(lease.token(), grant);
        granted++;
    }

    void nodeForgets() {
        queues.forget();
        grants.forEach((lock, known) -> {
            if (scenario.shared) {
                known.values().stream()
                        .filter(grant -> node.isHeld(lock, grant.lease.token(), micros()))
                        .forEach(grant -> grant.excuse(grant.endMicros));
                return;
            }
            SimGrant last = known.lastEntry().getValue();
            if (node.isHeld(lock, last.lease.token(), micros())) {
                last.excuse(node.endOf(lock));
            }
        });
    }

    /** Notes that a caller has got the lock. */
    @Nullable SimHold begins(SimProcess process, String client, Lease lease, int share, int localHandOvers) {
        String lock = lease.name();
        SimGrant grant = grantOf(lock, lease.token());
        if (grant == null || !grant.lease.claim().client().equals(client)) {
            findings.add(
                    "TOKENS", "token " + lease.token() + " of '" + lock + "' was never granted to " + process.name());
            return null;
        }
        SimHold hold = new SimHold(world, findings, process, lease, grant, share, scenario.off);
        if (lease.slot().orElse(Grant.NO_SLOT) != grant.slot || lease.isExclusive() != (share == Claim.EXCLUSIVE)) {
            findings.add("SLOTS", hold + " has the slot " + lease.slot() + ", but was granted " + grant.slot);
        }
        all.add(hold);
        held++;
        grant.holds++;
        if (grant.holds > localHandOvers + 1) {
            findings.add("ORDER", hold + " is hand-over " + (grant.holds - 1) + " within one process");
        }
        long turn = 10_200 * 1000 + scenario.longestDelay * 4 + 5 * SimScenario.MS;
        if (scenario.calm && !scenario.whole && lease.token() > grant.lease.token() && world.now() - grant.at > turn) {
            findings.add(
                    "ORDER", hold + " was served " + (world.now() - grant.at) / 1000 + " µs into its process's turn");
        }
        boolean valid = hold.isValid();
        long greatest = (share == Claim.EXCLUSIVE ? greatestSeen : greatestExclusive).getOrDefault(lock, 0L);
        if (valid && !grant.excused && lease.token() <= greatest) {
            findings.add("TOKENS", hold + " began after one with token " + greatest);
        }
        if (valid) {
            greatestSeen.merge(lock, lease.token(), Math::max);
            if (share == Claim.EXCLUSIVE) {
                greatestExclusive.merge(lock, lease.token(), Math::max);
            }
        }
        open.computeIfAbsent(lock, name -> new ArrayList<>()).add(hold);
        look(lock, open.get(lock));
        return hold;
    }

    /**
     * Notes that a caller works on the resource: a writer writes, a reader looks, and looks again later. What a reader has
     * seen between two registrations must not have been changed.
     */
    void works(SimHold hold) {
        boolean valid = hold.isValid() && !hold.grant().excused;
        boolean accepted = fence.register(hold);
        world.note("fence", accepted ? "accepts" : "refuses", hold.lease().token());
        if (valid && !accepted) {
            findings.add("FENCE", hold + " is refused although it is valid");
        }
        if (hold.share() != Claim.UNLIMITED) {
            return;
        }
        Long seen = views.get(hold);
        if (accepted && seen != null && seen != fence.version(hold)) {
            findings.add("FENCE", hold + " is accepted again, but what it has seen was changed");
        }
        if (accepted && seen == null) {
            views.put(hold, fence.version(hold));
        }
    }

    /** Notes that a hold was released in time, and the lock has to stay taken for a while. */
    void keeps(SimHold hold, long minHold) {
        kept.keeps(hold, minHold);
    }

    void gone(SimProcess process) {
        open.values().forEach(holds -> holds.removeIf(hold -> hold.process() == process));
    }

    /** Looks at everything that can be seen now. */
    void look() {
        for (Map.Entry<String, List<SimHold>> entry : open.entrySet()) {
            List<SimHold> holds = entry.getValue();
            if (!holds.isEmpty()) {
                if (scenario.watchful) {
                    look(entry.getKey(), holds);
                }
                for (SimHold hold : holds) {
                    hold.checkTold(isGone(hold), scenario.sloth());
                }
                holds.removeIf(SimHold::isOver);
            }
        }
        if (scenario.calm) {
            lookForIdleLocks();
        }
    }

    private void look(String lock, List<SimHold> holds) {
        List<SimHold> valid = new ArrayList<>();
        for (SimHold hold : holds) {
            // A machine that is suspended looks at nothing.
            if (hold.process().isSuspended() || !hold.isValid() || hold.grant().excused) {
                continue;
            }
            if (!node.isHeld(lock, hold.lease().token(), micros())) {
                findings.add("TRUTH", hold + " says that it is valid, but the store has ended it");
            }
            valid.add(hold);
            Map<String, Long> later = hold.share() == Claim.EXCLUSIVE ? greatestSeen : greatestExclusive;
            if (hold.lease().token() < later.getOrDefault(lock, 0L)) {
                findings.add("TOKENS", hold + " is valid after one with token " + later.get(lock));
            }
        }
        if (valid.size() > 1) {
            checkSharing(valid);
        }
    }

    private void checkSharing(List<SimHold> valid) {
        Map<Integer, SimHold> slots = new HashMap<>();
        for (SimHold hold : valid) {
            if (valid.size() > hold.share()) {
                findings.add(
                        "EXCLUSION",
                        valid.size() + " are valid, and one of them shares with " + hold.share() + " only: " + valid);
                return;
            }
            int slot = hold.grant().slot;
            if (slot != Grant.NO_SLOT && (slot >= hold.share() || slots.put(slot, hold) != null)) {
                findings.add("SLOTS", hold + " has the slot " + slot + " among " + valid);
            }
        }
    }

    private boolean isGone(SimHold hold) {
        SimGrant grant = hold.grant();
        return grant.excused
                ? grant.excusedUntilMicros < micros()
                : !node.isHeld(grant.lease.lock(), hold.lease().token(), micros());
    }

    private void lookForIdleLocks() {
        long bound = WaitingRules.askEvery(Duration.ofNanos(scenario.lease)).toNanos() * 3 / 2
                + scenario.longestDelay * 8
                + 50 * SimScenario.MS;
        for (String lock : grants.keySet()) {
            if (!node.isIdle(lock, micros())) {
                idleSince.remove(lock);
            } else if (world.now() - idleSince.computeIfAbsent(lock, name -> world.now()) > bound) {
                findings.add(
                        "PROGRESS", "'" + lock + "' has been free for " + bound / 1000 + " µs although somebody waits");
                idleSince.put(lock, world.now());
            }
        }
    }

    /** Judges a second time, from the callers' records alone. */
    void judgeHistory() {
        grants.values().forEach(known -> kept.check(known.values()));
        List<HoldRecord> history = all.stream()
                .flatMap(hold -> hold.record(hold.grant().lease.claim().client()).stream())
                .toList();
        for (String violation : HistoryChecker.of(Duration.ZERO).violations(history)) {
            findings.add("HISTORY", violation);
        }
    }

    @Nullable SimGrant grantOf(String lock, long token) {
        TreeMap<Long, SimGrant> known = grants.get(lock);
        Map.Entry<Long, SimGrant> entry = known == null ? null : known.floorEntry(token);
        return entry != null && entry.getValue().has(token) ? entry.getValue() : null;
    }

    private long micros() {
        return world.now() / 1000;
    }

    long granted() {
        return granted;
    }

    long held() {
        return held;
    }
}
