package dev.leasehold.simulator;

import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.testkit.HoldRecord;
import dev.leasehold.testtools.SimWorld;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A simulated hold is one caller's hold from the caller's point of view: the states that its lease has reported, and
 * whether they were the truth.
 */
final class SimHold implements LeaseListener {

    private static final long UNAWARE_NANOS = 50_000_000L;

    private final SimWorld world;
    private final SimFindings findings;
    private final SimProcess process;
    private final Lease lease;
    private final SimGrant grant;
    private final int asked;
    private final boolean believesLong;
    private long downgradedAt = -1;
    private LeaseState told = LeaseState.HELD;
    /**
     * True once the listener has heard of a change. The first change may be to HELD: earlier changes came before the
     * listener was added.
     */
    private boolean toldBefore;

    private @Nullable LeaseState ended;
    private boolean over;
    private boolean releaseCalled;
    private long goneSince = -1;
    private long firstValid = -1;
    private long lastValid = -1;
    /** Not later than the deadline by its last look, in true time. */
    private long deadline = -1;

    SimHold(
            SimWorld world,
            SimFindings findings,
            SimProcess process,
            Lease lease,
            SimGrant grant,
            int asked,
            Set<SimGuard> off) {
        this.world = world;
        this.findings = findings;
        this.process = process;
        this.lease = lease;
        this.grant = grant;
        this.asked = asked;
        this.believesLong = off.contains(SimGuard.READER_FROM_THE_SENDING);
        lease.addListener(this);
        lease.ended().thenAccept(this::ends);
    }

    /** Returns with how many it believes to share now. */
    int share() {
        if (asked != Claim.EXCLUSIVE || lease.isExclusive()) {
            return asked;
        }
        downgradedAt = downgradedAt < 0 ? world.now() : downgradedAt;
        boolean unaware = believesLong && world.now() - downgradedAt < UNAWARE_NANOS;
        return unaware ? Claim.EXCLUSIVE : Claim.UNLIMITED;
    }

    Lease lease() {
        return lease;
    }

    SimGrant grant() {
        return grant;
    }

    SimProcess process() {
        return process;
    }

    /** Asks the lease whether it is valid now. */
    boolean isValid() {
        boolean valid = lease.isValid();
        LeaseState state = lease.state();
        if (valid != state.isValid() || valid == lease.remaining().isZero()) {
            findings.add(
                    "TRUTH", this + " contradicts itself: valid " + valid + ", " + state + ", " + lease.remaining());
        }
        if (valid && over) {
            findings.add("TRUTH", this + " is valid after it was over");
        }
        over |= state.isFinal();
        if (state == LeaseState.LOST && !releaseCalled && world.now() < deadline) {
            grant.left = true;
        }
        if (valid) {
            firstValid = firstValid < 0 ? world.now() : firstValid;
            lastValid = world.now();
            deadline = lastValid + lease.remaining().toNanos() * 49 / 50 - SimScenario.MS;
        }
        return valid;
    }

    @Override
    public void onState(Lease of, LeaseState state) {
        world.note(process.name(), "is told " + state, lease.name(), lease.token());
        boolean lateLoss = told == LeaseState.RELEASED && state == LeaseState.LOST;
        if ((told.isFinal() && !lateLoss) || (told == state && toldBefore)) {
            findings.add("TRUTH", this + " is told " + state + " after " + told);
        }
        if (state == LeaseState.RELEASED && !releaseCalled) {
            findings.add("TRUTH", this + " is told RELEASED, but nobody has released it");
        }
        told = state;
        toldBefore = true;
        over |= state.isFinal();
    }

    private void ends(LeaseState state) {
        ended = state;
        if (!state.isFinal()) {
            findings.add("TRUTH", this + " is said to have ended with " + state);
        }
    }

    void releaseCalled() {
        releaseCalled = true;
    }

    /** Checks the outcome of the caller's release. */
    void released(LeaseState answer, LeaseState before) {
        boolean lost = before == LeaseState.LOST || told == LeaseState.LOST;
        if (!answer.isFinal() || (answer == LeaseState.RELEASED && lost)) {
            findings.add(
                    "TRUTH", this + " is " + before + " and was told " + told + ", but its release says " + answer);
        }
    }

    /** Looks whether a loss was reported in time: at once, as far as the process could run at all. */
    void checkTold(boolean goneInStore, long sloth) {
        if (!goneInStore || told.isFinal() || releaseCalled) {
            return;
        }
        if (goneSince < 0) {
            goneSince = world.now();
        }
        if (process.lastStop() < grant.at
                && world.now() - goneSince > sloth
                && process.runningSince() < world.now() - sloth) {
            findings.add("TRUTH", this + " ran out " + (world.now() - goneSince) / 1000 + " µs ago, but was not told");
        }
    }

    /** Looks, when all is over, whether the caller has learnt of the end. */
    void checkEnd() {
        isValid();
        if (!releaseCalled && told != LeaseState.LOST) {
            findings.add(
                    "TRUTH", this + " was never told that it is over; last word " + told + ", state " + lease.state());
        }
        if (ended == null || (!releaseCalled && ended != LeaseState.LOST)) {
            findings.add("TRUTH", this + ": ended() says " + ended + " after " + told);
        }
    }

    /** Records for the checker of histories from when to when the caller believed in the hold. */
    Optional<HoldRecord> record(String client) {
        return firstValid < 0 || grant.excused
                ? Optional.empty()
                : Optional.of(new HoldRecord(
                        client,
                        lease.name(),
                        lease.token(),
                        firstValid,
                        firstValid,
                        lastValid,
                        HoldRecord.NEVER,
                        releaseCalled ? HoldRecord.End.RELEASED : HoldRecord.End.LOST,
                        share(),
                        grant.slot));
    }

    boolean isOver() {
        return over && (told.isFinal() || releaseCalled);
    }

    @Override
    public String toString() {
        return "hold of '" + lease.name() + "' with token " + lease.token() + " by " + process.name();
    }
}
