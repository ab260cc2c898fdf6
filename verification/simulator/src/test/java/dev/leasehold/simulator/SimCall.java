package dev.leasehold.simulator;

/** A simulated call is one request of a caller, from asking to its outcome. */
final class SimCall {

    final String lock;
    final int share;
    final long order;
    final long askedAt;
    /** The time for which the caller wants to wait, in true time; 0 for one try. */
    final long limit;

    final long minHold;

    boolean cancelled;
    boolean done;

    SimCall(String lock, int share, long order, long askedAt, long limit, long minHold) {
        this.lock = lock;
        this.share = share;
        this.order = order;
        this.askedAt = askedAt;
        this.limit = limit;
        this.minHold = minHold;
    }

    boolean waitsAt(long now) {
        // A clock may be a hundredth fast.
        return !done && !cancelled && now - askedAt < limit - limit / 50;
    }
}
