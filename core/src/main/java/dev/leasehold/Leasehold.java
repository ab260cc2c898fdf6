package dev.leasehold;

import dev.leasehold.doctor.Examination;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.ClientView;
import dev.leasehold.engine.election.LeaderElector;
import dev.leasehold.engine.set.ClientLockSet;
import dev.leasehold.inspect.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A Leasehold is one process's connection to one store of locks. Thread-safe; make one and share it. It owns a small number
 * of daemon threads (one for timers, those of the store, and up to four for callbacks, 16 where callbacks block), all named
 * {@code leasehold-…}, which are gone after {@link #close()}. If the leases of the store depend on a session and one is
 * left when the client is closed, the threads are gone when that lease has run out.
 */
public final class Leasehold implements AutoCloseable {

    private final ClientView view;

    Leasehold(ClientView view) {
        this.view = view;
    }

    /**
     * Makes a client from a store's URI, with default settings. Validates at once, connects on first use.
     *
     * <p>{@code memory:} · {@code sqlite:PATH} · more with further modules. Settings may follow as query parameters:
     * {@code leasehold.namespace}, {@code leasehold.storeTimeout} (in milliseconds), {@code leasehold.localHandOvers}, {@code
     * leasehold.label}, and those of the store.
     *
     * <p>A relative path is taken from the current directory: two processes that are started in different directories do not
     * see each other's locks then.
     *
     * @param uri the store's URI
     * @return the client, to be closed by the caller
     * @throws IllegalArgumentException if the URI is malformed, its scheme or an option unknown, or the module for its
     *     scheme missing; the message names the artifact
     */
    public static Leasehold connect(String uri) {
        return builder().uri(uri).build();
    }

    /**
     * Starts to build a client.
     *
     * @return a builder with default settings and no store
     */
    public static LeaseholdBuilder builder() {
        return new LeaseholdBuilder();
    }

    /**
     * Returns a lock with the client's default options. Costs nothing and is not remembered: lock objects of one name are
     * interchangeable.
     *
     * @param name the lock's name: 1 to 512 bytes in UTF-8; any characters but NUL and unpaired surrogates
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedLock lock(String name) {
        return lock(name, view.client().settings().options());
    }

    /**
     * Returns a lock with options of its own.
     *
     * @param name the lock's name, as for {@link #lock(String)}
     * @param options how it is held
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character, or the store does not
     *     grant leases as long as the options ask for
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedLock lock(String name, LockOptions options) {
        return view.lock(name, options);
    }

    /**
     * Returns a lock behind {@link java.util.concurrent.locks.Lock}, owned by threads, with the client's default options.
     *
     * @param name the lock's name, as for {@link #lock(String)}
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public ReentrantDistributedLock reentrantLock(String name) {
        return reentrantLock(name, view.client().settings().options());
    }

    /**
     * Returns a lock behind {@link java.util.concurrent.locks.Lock}, owned by threads, with options of its own.
     *
     * @param name the lock's name, as for {@link #lock(String)}
     * @param options how it is held
     * @return the lock
     * @throws IllegalArgumentException as for {@link #lock(String, LockOptions)}
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public ReentrantDistributedLock reentrantLock(String name, LockOptions options) {
        return view.reentrantLock(name, options);
    }

    /**
     * Returns a semaphore with the client's default options. Costs nothing and is not remembered.
     *
     * @param name the semaphore's name, as for {@link #lock(String)}
     * @param permits with how many permits at most, its own included, one of this semaphore coexists: 2 to 1024
     * @return the semaphore
     * @throws IllegalArgumentException if the number is out of that range, or the name is empty, too long or has a forbidden
     *     character
     * @throws UnsupportedOperationException if the store has no semaphores, with the reason
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedSemaphore semaphore(String name, int permits) {
        return view.semaphore(name, permits, view.client().settings().options());
    }

    /**
     * Returns a semaphore with options of its own.
     *
     * @param name the semaphore's name, as for {@link #lock(String)}
     * @param permits with how many permits at most, its own included, one of this semaphore coexists: 2 to 1024
     * @param options how a permit is held
     * @return the semaphore
     * @throws IllegalArgumentException if the number is out of that range, or as for {@link #lock(String, LockOptions)}
     * @throws UnsupportedOperationException if the store has no semaphores, with the reason
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        return view.semaphore(name, permits, options);
    }

    /**
     * Returns a read-write lock with the client's default options. Costs nothing and is not remembered.
     *
     * @param name the lock's name, as for {@link #lock(String)}
     * @return the lock, with a side for readers and one for writers
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws UnsupportedOperationException if the store has no readers, with the reason
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedReadWriteLock readWriteLock(String name) {
        return view.readWriteLock(name, view.client().settings().options());
    }

    /**
     * Returns a read-write lock with options of its own.
     *
     * @param name the lock's name, as for {@link #lock(String)}
     * @param options how its sides are held
     * @return the lock, with a side for readers and one for writers
     * @throws IllegalArgumentException as for {@link #lock(String, LockOptions)}
     * @throws UnsupportedOperationException if the store has no readers, with the reason
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        return view.readWriteLock(name, options);
    }

    /**
     * Returns a set of locks that are acquired together, all or none, with the client's default options. More names, some of
     * them shared, and options are added to the set: {@code lockAll("a", "b").shared("rates").acquire()}. Costs nothing and
     * is not remembered.
     *
     * @param names locks' names, as for {@link #lock(String)}, to be held exclusively; in any order, and none if they follow
     * @return the set
     * @throws IllegalArgumentException if a name is empty, too long or has a forbidden character
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public LockSet lockAll(String... names) {
        return new ClientLockSet(view).exclusive(names);
    }

    /**
     * Returns a candidate for an office that one of all candidates holds at a time, with the lease duration of the client's
     * default options and the usual margin. Each call makes a candidate of its own; it does not campaign until it is
     * started.
     *
     * @param name the office: a lock's name, as for {@link #lock(String)}
     * @return the candidate
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public LeaderElection election(String name) {
        return election(name, view.electionOptions());
    }

    /**
     * Returns a candidate for an office that one of all candidates holds at a time, with options of its own.
     *
     * @param name the office: a lock's name, as for {@link #lock(String)}
     * @param options how the office is held
     * @return the candidate
     * @throws IllegalArgumentException as for {@link #lock(String, LockOptions)}
     * @throws IllegalStateException if the client is closed
     */
    @CheckReturnValue
    public LeaderElection election(String name, ElectionOptions options) {
        return new LeaderElector(view.client(), view.name(name), options);
    }

    /**
     * Returns a view of this client in which every lock's name is prefixed: its lock {@code a} is this object's lock {@code
     * tenant:a}. For services that keep the locks of their customers apart. In the view, names of locks, leases, elections,
     * inspection and breaks are those without the prefix; logs and messages have the whole name, as the store has it. Two views
     * of different prefixes have no lock in common.
     *
     * <p>Costs nothing and is not remembered. The view uses this client's store, settings, observers and threads. Closing the
     * view closes nothing; when this client is closed, so is the view.
     *
     * @param prefix 1 to 64 of {@code A-Z a-z 0-9 . _ -}. A name with its prefixes has at most 512 bytes
     * @return the view, of which there may be views again: {@code prefixed("eu").prefixed("tenant")} prefixes {@code
     *     eu:tenant:}
     * @throws IllegalArgumentException if the prefix has another form
     */
    @CheckReturnValue
    public Leasehold prefixed(String prefix) {
        return new Leasehold(view.prefixed(prefix));
    }

    /**
     * Lists the locks of this client's namespace that are held, kept or waited for, in the order of their names.
     *
     * @param pattern which names: {@code *} stands for any characters, {@code ?} for one, a backslash takes the next
     *     character literally
     * @return the locks as the store sees them now
     * @throws IllegalArgumentException if the pattern is malformed
     * @throws StoreUnavailableException if the store did not answer
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public List<LockInfo> locks(String pattern) throws InterruptedException {
        return view.inspect(pattern);
    }

    /**
     * Returns what the store knows of one lock, without looking at others.
     *
     * @param name the lock's name, taken literally
     * @return the lock as the store sees it now; empty if it is not held, kept or waited for
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws StoreUnavailableException if the store did not answer
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public Optional<LockInfo> info(String name) throws InterruptedException {
        return view.info(name);
    }

    /**
     * Ends exactly the lease to whose run a token belongs, no matter who holds it, and hands the lock to the next waiter.
     * The holder is notified, but until then believes that it has the lock: exclusion rests on the operator here.
     *
     * @param name the lock's name
     * @param token the token that was seen, for example in {@link #locks(String)}
     * @return whether there was such a lease
     * @throws IllegalArgumentException if the name is empty, too long or has a forbidden character
     * @throws StoreUnavailableException if the store did not answer
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public boolean breakLock(String name, long token) throws InterruptedException {
        return view.breakLock(name, token);
    }

    /**
     * Checks that this client can work with its store: connects, and puts each question to the store that a lock needs, for
     * a lease and a claim that do not exist. Takes nothing and changes nothing, but for tables that a database does not
     * have yet and that the client may make. Call it at the start of a service: a wrong address, a wrong password, a
     * missing table or right is found here and not by the first customer. It connects for itself and closes that again, so a
     * snapshot of the process may be taken afterwards. For how far locks there can be relied on, see
     * {@link #examine()}.
     *
     * @throws StoreUnavailableException if the store did not answer within the client's store timeout
     * @throws LockException if the store refused; the message says what is missing
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public void check() throws InterruptedException {
        view.client().check();
    }

    /**
     * Examines the store's deployment and reports how far locks there can be relied on. Takes a lock of its own for a
     * moment, and blocks for some seconds at most.
     *
     * @return what was found
     * @throws LockException if nothing of the store can be reached, or it refuses this user
     * @throws IllegalStateException if the client is closed
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public Examination examine() throws InterruptedException {
        return view.client().examine();
    }

    /**
     * Closes the client and gives holds one second to end: {@link #close(Duration)} with that limit. A service that shuts
     * down should give its work the time that it needs.
     */
    @Override
    public void close() {
        close(Client.CLOSE_LIMIT);
    }

    /**
     * Closes the client, and never gives back a lease that its holder has not given back: another process would begin
     * beside work that still runs.
     *
     * <p>Takes no new callers from now on; those that wait get {@link IllegalStateException}, and leaders are demoted. Then
     * holds have up to {@code limit} to end: they are renewed, and a lock that is given back is free at once. A hold that
     * is still there after that is lost: its state is {@code LOST}, its listeners are notified, its body is interrupted
     * where that was asked for, and {@code run} and {@code call} throw {@link LeaseLostException} when the body ends. It is
     * not renewed any more and stays taken in the store until its lease runs out, as if the process had died.
     *
     * <p>After the limit the store has one more second to answer what was given back. Then the connection is closed, and this
     * waits three seconds for that at most. The rest goes on in the background, on daemon threads: releases for the
     * store timeout, then the connection. An interrupt ends the wait for holders and not the one for the store, and is kept.
     * Objects that the user passed in are not closed. The client's threads end by themselves soon afterwards; this does not
     * wait for them, since a callback may run on one.
     * Idempotent; of several limits the one that is over first counts. Does nothing on a {@linkplain #prefixed view}.
     *
     * @param limit how long holds may take to end; zero ends them at once
     * @throws IllegalArgumentException if the limit is negative
     */
    public void close(Duration limit) {
        if (view.isWhole()) {
            view.client().closing().close(limit);
        }
    }

    /**
     * Closes the client in the background, as {@link #close()} does.
     *
     * @return completes when everything is closed; completing it by hand changes nothing
     */
    public CompletableFuture<@Nullable Void> closeAsync() {
        return closeAsync(Client.CLOSE_LIMIT);
    }

    /**
     * Closes the client in the background, as {@link #close(Duration)} does. No new callers are taken when this returns.
     *
     * @param limit how long holds may take to end; zero ends them at once
     * @return completes when everything is closed; completing it by hand changes nothing
     * @throws IllegalArgumentException if the limit is negative
     */
    public CompletableFuture<@Nullable Void> closeAsync(Duration limit) {
        return view.isWhole()
                ? view.client().closing().closeAsync(limit).copy()
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return "Leasehold[" + view + "]";
    }
}
