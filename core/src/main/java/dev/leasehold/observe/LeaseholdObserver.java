package dev.leasehold.observe;

import dev.leasehold.LeaderElection;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Leasehold observer sees what a client's calls for locks come to: for metrics, traces and logs. It cannot change
 * anything; code that has to react to a loss belongs into a {@link LeaseListener}. Set it with {@link
 * LeaseholdBuilder#observer}; a client may have several.
 *
 * <p><b>Order.</b> Each call for a lock, whatever its form, begins with {@link #asked}. Then comes exactly one of {@link
 * #acquired}, {@link #busy}, {@link #failed} and {@link #withdrawn}. After {@link #acquired} come any number of {@link
 * #renewed}, {@link #renewalFailed} and {@link #atRisk}, and at the end exactly one of {@link #released} and {@link #lost}.
 * The events of one call come in this order and one at a time; those of different calls come side by side. Nothing is
 * reported of a lock that is entered again by the thread that owns it: no lock is asked for then. A process that dies reports
 * nothing more.
 *
 * <p><b>State per call.</b> {@link #asked} returns the observer of all further events of its call. An observer that keeps
 * nothing between events returns itself; one that measures or traces returns an object made for this call.
 *
 * <p><b>Threads.</b> {@link #asked} is called on the thread that asks, before anything is sent; for what the client itself
 * asks for (a candidate's office, and what a set of locks needs after its first tries), on the client's executor. What a call comes to, and the
 * end of a hold, are reported on the thread that waits for it, before it goes on. Where no thread waits, and for all that
 * happens in between, the events come on the client's executor ({@link LeaseholdBuilder#executor}), later if that is busy.
 * The engine never waits for an observer: with one that blocks, locks are still granted, renewed and lost in time, and only
 * the threads that it is called on are held up. So do not block, and take no locks in here.
 *
 * <p><b>Exceptions.</b> What an observer throws is ignored, and keeps no other observer from its events; the first one of each
 * observer is logged.
 *
 * <p>Thread-safety is up to the implementation: events of different calls come on different threads at once.
 */
public interface LeaseholdObserver {

    /**
     * Called when a lock is asked for, on the thread that asks, before anything is sent; on the client's executor where the
     * client itself asks.
     *
     * @param call what is asked for; the same object in all events of this call
     * @return the observer of all further events of this call: this object or another one, or null if nothing more of this
     *     call is of interest
     */
    default @Nullable LeaseholdObserver asked(LockCall call) {
        return this;
    }

    /**
     * Called when the lock has been acquired, before the caller has the lease.
     *
     * @param call the call
     * @param grant the token, how long was waited, and whether the lock was handed over within this process
     */
    default void acquired(LockCall call, LockGrant grant) {}

    /**
     * Called when the lock is held by somebody else and the caller does not wait, or not any longer.
     *
     * @param call the call
     * @param waited the time since it was asked for
     */
    default void busy(LockCall call, Duration waited) {}

    /**
     * Called when the call has failed: the store did not answer or refused, or the client is closed. The lock is not held.
     *
     * @param call the call
     * @param waited the time since it was asked for
     * @param failure as the caller gets it, or its cause
     */
    default void failed(LockCall call, Duration waited, Throwable failure) {}

    /**
     * Called when the caller has given up: it was interrupted, or has completed its future early. A lock that was granted
     * at that moment is given back without another event.
     *
     * @param call the call
     * @param waited the time since it was asked for
     */
    default void withdrawn(LockCall call, Duration waited) {}

    /**
     * Called when the store has confirmed a lease that its holder has.
     *
     * @param call the call by which it was acquired
     * @param grant as in {@link #acquired}
     * @param took the time from sending the request to its answer
     * @param late whether the answer came when the lease was at risk or in doubt
     */
    default void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {}

    /**
     * Called when the store has not answered a renewal, or not as it should. The lease is valid until its deadline, and the
     * renewal is repeated.
     *
     * @param call the call by which it was acquired
     * @param grant as in {@link #acquired}
     * @param took the time from sending the request to its failure
     * @param failure what went wrong
     */
    default void renewalFailed(LockCall call, LockGrant grant, Duration took, LockException failure) {}

    /**
     * Called when a lease may be lost soon.
     *
     * @param call the call by which it was acquired
     * @param grant as in {@link #acquired}
     * @param state {@link LeaseState#AT_RISK} if its renewal is late or its connection broken, {@link
     *     LeaseState#UNCONFIRMED} if the machine slept or a clock was set
     */
    default void atRisk(LockCall call, LockGrant grant, LeaseState state) {}

    /**
     * Called when a lease is lost to its holder: it ran out, was broken or forgotten by the store, or its client was closed
     * while it was held. Also where only the answer to its release has shown that.
     *
     * @param call the call by which it was acquired
     * @param grant as in {@link #acquired}
     * @param held the time from {@link #acquired} to the moment at which the loss became known, or to the release
     */
    default void lost(LockCall call, LockGrant grant, Duration held) {}

    /**
     * Called when a hold has ended because its holder has ended it, and the store or the next caller of this process has
     * the lock. Also when the store has not answered the release: the lease runs out then.
     *
     * @param call the call by which it was acquired
     * @param grant as in {@link #acquired}
     * @param held the time from {@link #acquired} to the release, without waiting for the store
     */
    default void released(LockCall call, LockGrant grant, Duration held) {}

    /**
     * Called when a candidate ({@link LeaderElection}) is elected, after {@link #acquired}.
     *
     * @param call the call by which it stood
     * @param grant its token is the term
     */
    default void elected(LockCall call, LockGrant grant) {}

    /**
     * Called when a candidate that was elected leads no longer, before {@link #released} or {@link #lost}, however the term
     * ended.
     *
     * @param call the call by which it stood
     * @param grant its token is the term
     * @param led the time from {@link #elected} to the end of the term
     */
    default void demoted(LockCall call, LockGrant grant, Duration led) {}
}
