package dev.leasehold.simulator;

import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A scenario says what kind of run a seed stands for: how many take part, how long leases are, how bad the network is and
 * which faults there are. A fourth of all seeds are <em>calm</em>: nothing is lost, nothing overtakes, nobody stops; there
 * the checks are strict about order, waste and delay. The others draw each kind of fault, or leave it out.
 */
final class SimScenario {

    static final long MS = 1_000_000L;
    static final String OFFICE = "office";
    static final long SECOND = 1000 * MS;

    final Set<SimGuard> off;
    final boolean calm;
    final int processes;
    final int callers;
    final int locks;
    final boolean emptyHolds;
    final long lease;
    final long faultsEnd;
    /** Whether leases are looked at after every event, or only where callers look. Looking may hide a dead timer. */
    final boolean watchful;
    /** Whether all clients are closed in the end, or all callers come to their own end. */
    final boolean closeAll;

    final long typicalDelay;
    final long longestDelay;
    final double longDelays;
    final double loss;
    final double repeats;
    final double signalLoss;
    /** The share of pushed grants that may be used without asking. */
    final double usableSignals;

    final Duration operationTimeout;
    final Duration storeTimeout;
    final int localHandOvers;

    final boolean drift;
    final boolean lateTimers;
    final boolean starvation;
    final boolean pauses;
    final boolean suspensions;
    final boolean wallJumps;
    final boolean crashes;
    final boolean partitions;
    final boolean nodeDowns;
    final boolean memoryLoss;
    final boolean nodeWallJumps;
    final boolean breaks;
    final boolean closes;
    final boolean refusals;

    /** Whether locks are shared, too; and with how many permits, before and after the change of it. */
    final boolean shared;

    /** Whether there are candidates, sets and observers, too. */
    final boolean whole;

    final int permits;
    final int laterPermits;
    final long permitsChange;

    SimScenario(SplittableRandom chance, Set<SimGuard> off, SimKind kind) {
        this.off = Set.copyOf(off);
        calm = chance.nextInt(4) == 0;
        processes = 1 + chance.nextInt(5);
        boolean crowd = chance.nextInt(25) == 0;
        callers = crowd ? 40 : 1 + chance.nextInt(4);
        locks = 1 + chance.nextInt(3) * chance.nextInt(2);
        lease = new long[] {100 * MS, 200 * MS, 500 * MS, SECOND, 2 * SECOND, 4 * SECOND}[chance.nextInt(6)];
        faultsEnd = crowd ? 6 * lease : Math.max(10 * SECOND, Math.min(40 * SECOND, lease * 40));
        emptyHolds = crowd;
        watchful = chance.nextBoolean();
        closeAll = chance.nextInt(3) == 0;

        typicalDelay = new long[] {MS / 20, MS / 2, 2 * MS, 10 * MS}[chance.nextInt(4)];
        boolean slow = !calm && chance.nextBoolean();
        longestDelay = slow ? lease * (1 + chance.nextInt(3)) : typicalDelay * 3;
        longDelays = slow ? new double[] {0.01, 0.05, 0.2}[chance.nextInt(3)] : 0;
        loss = calm ? 0 : new double[] {0, 0.02, 0.2}[chance.nextInt(3)];
        repeats = calm ? 0 : new double[] {0, 0.1}[chance.nextInt(2)];
        signalLoss = calm ? 0 : new double[] {0, 0.2, 1}[chance.nextInt(3)];
        usableSignals = new double[] {0, 0.5, 1}[chance.nextInt(3)];

        storeTimeout = Duration.ofNanos(new long[] {lease, 4 * lease, 10 * SECOND}[chance.nextInt(3)]);
        boolean buffers = chance.nextInt(3) == 0;
        operationTimeout = buffers
                ? storeTimeout
                : Duration.ofNanos(Math.min(storeTimeout.toNanos(), Math.max(typicalDelay * 8, lease / 4)));
        localHandOvers = new int[] {0, 1, 5, 64, 64}[chance.nextInt(5)];

        drift = chance.nextBoolean();
        lateTimers = !calm && chance.nextBoolean();
        starvation = fault(chance);
        pauses = fault(chance);
        suspensions = fault(chance);
        wallJumps = !suspensions && fault(chance);
        crashes = fault(chance);
        partitions = fault(chance);
        nodeDowns = fault(chance);
        memoryLoss = fault(chance) && chance.nextBoolean();
        nodeWallJumps = chance.nextBoolean();
        breaks = fault(chance) && chance.nextBoolean();
        closes = fault(chance);
        refusals = fault(chance) && chance.nextBoolean();
        whole = kind == SimKind.WHOLE;
        shared = kind == SimKind.SHARED || (whole && chance.nextBoolean());
        permits = shared ? 2 + chance.nextInt(3) : 1;
        laterPermits = shared ? 2 + chance.nextInt(5) : 1;
        permitsChange = shared ? chance.nextLong(faultsEnd) : 0;
    }

    private boolean fault(SplittableRandom chance) {
        boolean drawn = chance.nextInt(3) == 0;
        return drawn && !calm;
    }

    boolean on(SimGuard guard) {
        return !off.contains(guard);
    }

    /** Returns the longest lease that anybody asks for, extensions included. */
    long longestLease() {
        return lease * 3;
    }

    /** Returns how long a lease lasts at most after its client is closed: requests under way still prolong it. */
    long longestAfterClose() {
        return longestLease() * 102 / 100 + longestDelay * 3 + 20 * MS;
    }

    /** Returns the longest time that a hold lasts, whatever its caller does. */
    long longestHold() {
        return lease * 4;
    }

    double clockRate(SplittableRandom chance) {
        if (!on(SimGuard.CLOCKS_WITHIN_ONE_PER_CENT)) {
            return 0.9;
        }
        return drift ? 1 + 0.01 * new double[] {-1, 1, 2 * chance.nextDouble() - 1}[chance.nextInt(3)] : 1;
    }

    /** Returns where the monotonic clock begins: it may overflow on the way. */
    long firstNanos(SplittableRandom chance) {
        long odd = chance.nextLong(SECOND);
        return new long[] {odd, odd - 5 * SECOND, Long.MAX_VALUE - 5 * SECOND + odd, chance.nextLong()}
                [chance.nextInt(4)];
    }

    long timerLateness(SplittableRandom chance) {
        if (!lateTimers) {
            return 0;
        }
        return chance.nextInt(20) == 0 ? chance.nextLong(lease / 4) : chance.nextLong(2 * MS);
    }

    long callbackDelay(SplittableRandom chance) {
        return calm ? 1000 : chance.nextInt(10) == 0 ? chance.nextLong(MS) : 1000;
    }

    /** Returns the longest delay of a process's own tasks while nothing stops it. */
    long sloth() {
        return (lateTimers ? lease / 4 : 0) + 20 * MS;
    }

    /** Returns how long a timer is that counts as long: where timers do not fire, the short ones still do. */
    long longTimer() {
        return lease / 2;
    }

    long delay(SplittableRandom chance) {
        if (longDelays > 0 && chance.nextDouble() < longDelays) {
            return chance.nextLong(longestDelay) + 1;
        }
        return typicalDelay / 2 + chance.nextLong(typicalDelay);
    }

    String summary() {
        return (calm ? "calm" : "faults")
                + " processes=" + processes + " callers=" + callers + " locks=" + locks + " lease=" + lease / MS + "ms"
                + " delay=" + typicalDelay / 1000 + "us..." + longestDelay / 1000 + "us/" + longDelays + " loss=" + loss
                + " repeats=" + repeats + " signalLoss=" + signalLoss + " usableSignals=" + usableSignals
                + " operationTimeout="
                + operationTimeout.toMillis() + "ms storeTimeout=" + storeTimeout.toMillis() + "ms localHandOvers="
                + localHandOvers + (watchful ? " watchful" : "") + (closeAll ? " closeAll" : "")
                + (drift ? " drift" : "")
                + (lateTimers ? " lateTimers" : "") + (starvation ? " starvation" : "") + (pauses ? " pauses" : "")
                + (suspensions ? " suspensions" : "") + (wallJumps ? " wallJumps" : "") + (crashes ? " crashes" : "")
                + (partitions ? " partitions" : "") + (nodeDowns ? " nodeDowns" : "")
                + (memoryLoss ? " memoryLoss" : "")
                + (nodeWallJumps ? " nodeWallJumps" : "") + (breaks ? " breaks" : "") + (closes ? " closes" : "")
                + (refusals ? " refusals" : "")
                + (whole ? " whole" : "")
                + (shared ? " shared permits=" + permits + "..." + laterPermits : "");
    }
}
