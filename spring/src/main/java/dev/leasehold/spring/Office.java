package dev.leasehold.spring;

import dev.leasehold.ElectionListener;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/**
 * An office of this instance: its candidate, and the threads that work in the present term.
 *
 * <p>Why nobody else is elected while such work runs: the candidate's lock is given back only after all listeners have
 * returned from the demotion, and ours returns when the last worker has left, or when the lease has run out. A worker that
 * comes while the term ends either is noted before the listener looks, and is interrupted and waited for, or finds the term
 * closed.
 */
final class Office implements ElectionListener {

    private final LeaderElection election;
    private final ApplicationEventPublisher events;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition left = guard.newCondition();
    /** How deep each thread is in work of the office: one method may call another. */
    private final Map<Thread, Integer> workers = new HashMap<>();

    private long closedTerm;

    Office(LeaderElection election, ApplicationEventPublisher events) {
        this.election = election;
        this.events = events;
        election.onChange(this);
    }

    LeaderElection election() {
        return election;
    }

    /** Notes this thread as working in the present term; null if this instance does not lead. {@link #leave} has to follow. */
    @Nullable Lease enter() {
        guard.lock();
        try {
            Optional<Lease> lease = election.lease();
            if (lease.isEmpty() || lease.get().token() <= closedTerm || !election.isLeader()) {
                return null;
            }
            workers.merge(Thread.currentThread(), 1, Integer::sum);
            return lease.get();
        } finally {
            guard.unlock();
        }
    }

    /** Returns whether the term of a lease lasts still. */
    boolean isInTerm(Lease lease) {
        return election.isLeader() && election.lease().map(Lease::token).orElse(0L) == lease.token();
    }

    void leave() {
        guard.lock();
        try {
            workers.computeIfPresent(Thread.currentThread(), (thread, depth) -> depth == 1 ? null : depth - 1);
            left.signalAll();
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void elected(Lease lease) {
        events.publishEvent(new ElectedEvent(election.name(), lease.token()));
    }

    @Override
    public void demoted(Lease lease) {
        try {
            awaitWorkers(lease);
        } finally {
            events.publishEvent(new DemotedEvent(election.name(), lease.token()));
        }
    }

    private void awaitWorkers(Lease lease) {
        guard.lock();
        try {
            closedTerm = lease.token();
            workers.keySet().forEach(Thread::interrupt);
            while (!workers.isEmpty() && lease.isValid()) {
                left.await(Math.max(1, lease.remaining().toMillis()), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            guard.unlock();
        }
    }
}
