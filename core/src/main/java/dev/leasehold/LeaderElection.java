package dev.leasehold;

import dev.leasehold.inspect.HolderInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A leader election is a candidate for an office that one of all candidates holds at a time, in all processes that use
 * the same store. Thread-safe. An office is a lock, and leading is holding it: the name is that of {@link
 * Leasehold#lock(String)}, and {@code leasehold run} on the command line, with the same name, is a candidate of the
 * same election.
 *
 * <p>A candidate campaigns, with {@link #run} on the calling thread or with {@link #start} in the background, until it is
 * closed: it waits its turn, leads for a term, and stands again when the term ends. Each term has a number, the fencing
 * token of its {@link #lease}; terms strictly increase, and one that has ended never comes back.
 *
 * <p>A term ends by {@link #resign}, {@link #close} or the end of the work, or because the lease is lost: it was not renewed
 * until the margin ({@link ElectionOptions#margin}) before its deadline, the store says that it is gone, or it stays
 * unconfirmed for a fifth of the lease after the machine slept or a clock was set. From then on {@link #isLeader} is false,
 * the work is interrupted, and the listeners are notified; after that, the lock is given back if it is still held. So while the
 * margin is long enough for the work to end, nobody leads before it has. The lease itself is valid until its deadline.
 *
 * <p>Closing the client ends the term too. The lock is given back when work and listeners have ended, if that is within the
 * limit of {@link Leasehold#close(Duration)}; else it runs out with its lease.
 *
 * <p>Store outages end terms, not campaigns: where the store does not answer, the candidate asks again after a short pause.
 */
public interface LeaderElection extends AutoCloseable {

    /** {@return the name of the office, which is the lock's name, without the namespace} */
    String name();

    /** {@return the options, which say how the office is held} */
    ElectionOptions options();

    /**
     * Campaigns on the calling thread, and runs the work there in each term, until the work ends while it leads.
     *
     * <ul>
     *   <li>The work ends while this candidate leads: it is done. The office is given back, and this returns, or throws what
     *       the work has thrown.
     *   <li>The term ends first: the work is interrupted. When it has ended, this candidate stands again, and runs the work
     *       again in the next term. What the work throws then is a consequence: it is logged (an {@link
     *       InterruptedException} or a {@link LeaseLostException} is not even that) and not thrown, unless it is an {@link
     *       Error}.
     *   <li>The candidate is closed: the work is interrupted, and this returns when it has ended.
     * </ul>
     *
     * <p>An interrupt by somebody else ends the wait for office with an {@link InterruptedException}, and reaches the work
     * while it runs; one that comes in the moment of a demotion cannot be told from ours. {@link #close} can.
     *
     * @param work what the leader does; its lease is that of the term
     * @param <E> what the work may throw
     * @throws E what the work has thrown while it led
     * @throws LockException if the store refuses in a way that trying again will not change; the candidate does not lead
     * @throws IllegalStateException if the candidate campaigns already or is closed, or the client is closed, before or
     *     meanwhile
     * @throws InterruptedException if the thread is interrupted while the candidate waits for the office; it does not lead
     */
    <E extends Exception> void run(LeaseBody<E> work) throws E, InterruptedException;

    /**
     * Campaigns in the background until {@link #close}, also if nothing refers to this object any more. Does nothing if it
     * does so already. If the store refuses in a way that trying again will not change, the refusal is logged, callers that
     * wait for leadership get it, and the candidate tries again after a lease, because an operator may have repaired the
     * store.
     *
     * @throws IllegalStateException if {@link #run} is running, or the candidate or the client is closed
     */
    void start();

    /**
     * Returns whether this candidate leads now. Never blocks, and needs no network, no answer and no live thread to become
     * false before anybody else can be elected. May be true again in a later term: code that belongs to one term should
     * check that term's {@link Lease} instead.
     *
     * @return true if so; false, too, while the lease is {@link LeaseState#UNCONFIRMED}, which may pass
     */
    boolean isLeader();

    /**
     * Returns the lease of the present term. Releasing it ends the term, but without waiting for listeners and work: {@link
     * #resign} does.
     *
     * @return empty if this candidate does not lead
     */
    Optional<Lease> lease();

    /**
     * Returns the leader, as the store sees it at this moment. For people: nothing may be decided by it.
     *
     * @return the leader (the description of its client, its term as token), or empty if nobody leads
     * @throws StoreUnavailableException if the store did not answer
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    Optional<HolderInfo> leader() throws InterruptedException;

    /**
     * Adds a listener, which is notified of each election and demotion of this candidate from now on; at once, if it leads
     * already.
     *
     * @param listener the listener
     */
    void addListener(ElectionListener listener);

    /**
     * Removes a listener, which is not notified of any change that comes from now on, not even of the end of a term whose
     * beginning it knows. A call that is on its way to it already may still arrive. Does nothing if it was never added; one
     * that was added twice is notified once from now on.
     *
     * @param listener the very object that was added
     */
    void removeListener(ElectionListener listener);

    /**
     * Waits until this candidate leads.
     *
     * @param maxWait how long to wait; zero or negative means a look, huge values mean without limit
     * @return the term's lease, or empty if the candidate was not elected in that time, for whatever reason
     * @throws LockException if the store refuses in a way that trying again will not change
     * @throws IllegalStateException if the candidate does not campaign: neither {@link #run} nor {@link #start} was called, or
     *     it has ended, before or meanwhile
     * @throws InterruptedException if the thread is interrupted while waiting; the campaign goes on
     */
    @CheckReturnValue
    Optional<Lease> awaitLeadership(Duration maxWait) throws InterruptedException;

    /**
     * Waits as {@link #awaitLeadership} does, without blocking the caller and without a limit. Completing the future early
     * changes nothing but the future.
     *
     * @return completes with the term's lease, or exceptionally. Dependent actions without an executor of their own run on
     *     the client's executor
     * @throws IllegalStateException as for {@link #awaitLeadership}
     */
    @CheckReturnValue
    CompletableFuture<Lease> awaitLeadershipAsync();

    /**
     * Ends the present term, and lets the others have their turn: this candidate stands again after a short pause (a tenth
     * of the lease, a second at most), behind those who wait. When this returns, {@link #isLeader} is false; the work is
     * interrupted, the listeners are notified, and after that the lock is given back in the background.
     *
     * @return whether this has ended a term; one whose lease is {@link LeaseState#UNCONFIRMED} counts
     */
    boolean resign();

    /**
     * Ends the campaign for good, and with it the present term as {@link #resign} does. Waits for the release, and so for
     * listeners and work, for one second at most; not at all where these themselves call it. Idempotent, never throws, keeps
     * the thread's interrupt status.
     */
    @Override
    void close();
}
