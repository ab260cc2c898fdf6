package dev.leasehold.redis;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * A scenario is what one {@link QuorumSimulation} draws before it begins: how many take part, how long a lease is, what
 * goes wrong.
 */
final class QuorumScenario {

    private static final long MS = 1_000_000L;
    private static final long SECOND = 1000 * MS;

    /** A kind is a sort of run; some have schedules made for one rule. */
    enum Kind {
        ANY,
        /** Only messages are lost, and leases are so long that leftovers hurt. */
        LOSSY_WITH_LONG_LEASES,
        /**
         * The run is as any, with masters whose disks keep all, and are trusted; but some follow another for a while,
         * which lags.
         */
        TRUSTED,
        /**
         * The run is as any, but masters are back at once, or follow for a moment a copy of themselves whose clock is
         * ahead.
         */
        COPIED,
        /** The run is as any, but several masters at once restart with what they had saved, and are back at once. */
        RESTARTED,
        /** The run is as any, with readers and writers. */
        READERS,
        /** One master's clock is an hour ahead while another is down; then it is set right, and all restart empty. */
        CLOCK_AHEAD
    }

    final Kind kind;
    final int nodes;
    final int clients;
    final int callers;
    final int locks;
    final long lease;
    final Duration maxLease;
    final double loss;
    final double repeats;
    final double longDelays;
    final long faultsEnd;
    final int crashes;
    final boolean majorityRestarts;
    final int pauses;
    final int localHandOvers;

    /** Draws in a fixed order, on which the traces of all seeds depend. */
    QuorumScenario(Kind kind, SplittableRandom chance) {
        this.kind = kind;
        boolean lossy = isLossy();
        boolean ahead = kind == Kind.CLOCK_AHEAD;
        nodes = lossy || ahead ? 3 : new int[] {3, 3, 3, 4, 5}[chance.nextInt(5)];
        clients = 2 + chance.nextInt(3);
        callers = 1 + chance.nextInt(2);
        locks = 1 + chance.nextInt(2) * chance.nextInt(2);
        lease = lossy ? 30 * SECOND : new long[] {150, 250, 400, 600}[chance.nextInt(4)] * MS;
        maxLease = Duration.ofNanos(lossy ? lease : lease * (1 + chance.nextInt(3)));
        loss = lossy || ahead ? 0.15 : new double[] {0.05, 0.2, 0.2, 0.3}[chance.nextInt(4)];
        repeats = chance.nextBoolean() ? 0.1 : 0;
        longDelays = lossy ? 0 : new double[] {0, 0.02, 0.1}[chance.nextInt(3)];
        faultsEnd = lossy ? 90 * SECOND : 30 * SECOND;
        crashes = kind == Kind.COPIED
                ? 40
                : kind == Kind.RESTARTED ? 10 : lossy || ahead ? 0 : chance.nextInt(3) == 0 ? 0 : 1 + chance.nextInt(8);
        majorityRestarts = chance.nextInt(3) == 0 || kind == Kind.COPIED || kind == Kind.RESTARTED;
        pauses = lossy ? 0 : chance.nextInt(2) * chance.nextInt(6);
        localHandOvers = new int[] {0, 3, 64}[chance.nextInt(3)];
    }

    boolean isLossy() {
        return kind == Kind.LOSSY_WITH_LONG_LEASES;
    }

    boolean isAny() {
        return !isLossy() && kind != Kind.CLOCK_AHEAD;
    }

    /** Returns how many nanoseconds a client waits for a master's answer. */
    long nodeTimeout() {
        return isAny() ? Math.max(lease, SECOND) : SECOND / 5;
    }

    /** Returns how many nanoseconds a quorum asks on for what it has not heard of. */
    long horizon() {
        return isAny() ? 3 * lease : SECOND;
    }

    String summary() {
        return kind + " nodes=" + nodes + " clients=" + clients + " callers=" + callers + " locks=" + locks + " lease="
                + lease / MS + "ms loss=" + loss + " repeats=" + repeats + " longDelays=" + longDelays + " crashes="
                + crashes + " majority=" + majorityRestarts + " pauses=" + pauses + " local=" + localHandOvers;
    }
}
