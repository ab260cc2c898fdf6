package dev.leasehold.spring;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LockException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/**
 * An office is one of this instance: its candidate, and the threads that work in the present term.
 *
 * <p>The candidate campaigns on a thread of the office, which has nothing to do in a term but to wait for its end: so it
 * interrupts the workers at once, whatever listeners of events do, and it may wait for them, which no thread of the client's may.
 *
 * <p>Why nobody else is elected while such work runs: the candidate's lock is given back only after our part of the term has
 * returned, which it does when the last worker has left and the events have been published, or when the lease has run out. A
 * worker that comes while the term ends either is noted before the end is, and is interrupted and waited for, or finds
 * the term closed.
 */
final class Office {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private final LeaderElection election;
    private final OfficeEvents events;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition left = guard.newCondition();
    private final Map<Thread, Worker> workers = new HashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** The token of the term that is open for workers; zero for none. */
    private long openTerm;

    Office(LeaderElection election, ApplicationEventPublisher publisher) {
        this.election = election;
        this.events = new OfficeEvents(election.name(), publisher);
    }

    /** A worker is a thread that is in work of the office, and how deep: one method may call another. */
    private static final class Worker {
        private final BodyInterrupt interrupt = new BodyInterrupt();
        private int depth;
    }

    LeaderElection election() {
        return election;
    }

    /** Begins to campaign, until the candidate or its client is closed. */
    void start() {
        Thread thread = new Thread(null, this::campaign, "leasehold-leader-" + election.name(), 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    private void campaign() {
        Duration pause = election.options().leaseDuration();
        while (true) {
            try {
                election.run(this::term);
                return;
            } catch (IllegalStateException e) {
                LOG.log(Level.DEBUG, "the candidate for ''{0}'' stands no longer: {1}", election.name(), e);
                return;
            } catch (LockException e) {
                LOG.log(
                        Level.WARNING,
                        "the candidate for ''{0}'' was refused, and will stand again in {1}: {2}",
                        election.name(),
                        pause,
                        e.getMessage());
            } catch (InterruptedException e) {
                // Nobody but the term interrupts this thread.
            }
            if (isClosedWithin(pause)) {
                return;
            }
        }
    }

    private boolean isClosedWithin(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false; // As above.
        }
    }

    /** Resigns, and waits for the lock to be given back for a second at most. */
    void close() {
        closed.countDown();
        election.close();
    }

    /** Runs as long as a term lasts; the interrupt says that it is over. */
    private void term(Lease lease) {
        open(lease.token());
        events.elected(lease.token());
        boolean over = false;
        while (!over) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                over = true;
            }
        }
        closeAndAwait(lease);
        events.demoted(lease);
    }

    private void open(long term) {
        guard.lock();
        try {
            openTerm = term;
        } finally {
            guard.unlock();
        }
    }

    private void closeAndAwait(Lease lease) {
        guard.lock();
        try {
            openTerm = 0;
            workers.values().forEach(worker -> worker.interrupt.interrupt());
            while (!workers.isEmpty() && lease.isValid()) {
                left.await(Math.max(1, lease.remaining().toMillis()), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            LOG.log(Level.WARNING, "the end of the term of ''{0}'' was not waited for", election.name());
        } finally {
            guard.unlock();
        }
    }

    /** Notes this thread as working in the present term; null if this instance does not lead. {@link #leave} has to follow. */
    @Nullable Lease enter() {
        guard.lock();
        try {
            Optional<Lease> lease = election.lease();
            if (lease.isEmpty() || lease.get().token() != openTerm) {
                return null;
            }
            workers.computeIfAbsent(Thread.currentThread(), absent -> new Worker()).depth++;
            return lease.get();
        } finally {
            guard.unlock();
        }
    }

    /** Returns whether this thread works in the office. */
    boolean isAtWork() {
        guard.lock();
        try {
            return workers.containsKey(Thread.currentThread());
        } finally {
            guard.unlock();
        }
    }

    /** Returns whether the term of a lease lasts still. */
    boolean isInTerm(Lease lease) {
        return election.lease().map(Lease::token).orElse(0L) == lease.token();
    }

    /**
     * Notes that this thread has ended work.
     *
     * @param thrown what the work has thrown, or null
     * @return whether it has ended because of an interrupt of ours, which is taken back if the work has not taken it
     */
    boolean leave(@Nullable Throwable thrown) {
        guard.lock();
        try {
            Worker worker = workers.get(Thread.currentThread());
            if (worker == null || --worker.depth > 0) {
                return false;
            }
            workers.remove(Thread.currentThread());
            left.signalAll();
            return worker.interrupt.ended(thrown);
        } finally {
            guard.unlock();
        }
    }
}
