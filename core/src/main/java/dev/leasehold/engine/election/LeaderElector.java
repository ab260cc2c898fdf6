package dev.leasehold.engine.election;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseBody;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.LockName;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.NamePattern;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A leader elector is a candidate: it has campaigns and terms in turn, one after the other. The next campaign begins when
 * the lease of the last term is being given back, so nothing is handed over to the candidate itself ahead of those who
 * wait. It has no thread of its own: {@link #run} goes through its terms on the caller's thread, {@link #start} on
 * whichever threads complete its futures.
 */
public final class LeaderElector implements LeaderElection {

    private enum Phase {
        IDLE,
        RUNNING,
        STARTED,
        CLOSED
    }

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final Client client;
    private final LockName name;
    private final ElectionOptions options;
    private final LockOptions lockOptions;
    private final ElectionListeners listeners;
    private final LeadershipFutures futures = new LeadershipFutures();

    /** Guards the rest. No other object is called while it is held. */
    private final Guard guard = new Guard();

    private Phase phase = Phase.IDLE;
    private @Nullable Campaign campaign;
    private volatile @Nullable Term term;
    private volatile boolean resigned;

    /** Completes when the candidate is closed, or its client. */
    private final CompletableFuture<@Nullable Void> closing = new CompletableFuture<>();

    private final Runnable clientCloses = this::clientCloses;
    private final ForegroundCampaign foreground;

    /**
     * Makes a candidate that does not campaign yet.
     *
     * @throws IllegalArgumentException if the name is no lock's name, or the store has no lease of such a length
     * @throws IllegalStateException if the client is closed
     */
    public LeaderElector(Client client, LockName name, ElectionOptions options) {
        client.checkOpen();
        this.client = client;
        this.name = name;
        this.options = options;
        this.lockOptions = LockOptions.defaults()
                .withLeaseDuration(options.leaseDuration())
                .withMaxHold(LockOptions.FOREVER);
        client.check(lockOptions);
        this.listeners = new ElectionListeners(client.callbacks());
        this.foreground = new ForegroundCampaign(this, client, closing);
    }

    @Override
    public String name() {
        return name.own();
    }

    @Override
    public ElectionOptions options() {
        return options;
    }

    // ---- what is known -------------------------------------------------------------------------------------------

    @Override
    public boolean isLeader() {
        return lease().isPresent();
    }

    @Override
    public Optional<Lease> lease() {
        Term present = term;
        return present != null && present.isInOffice() ? Optional.of(present.lease()) : Optional.empty();
    }

    @Override
    public Optional<HolderInfo> leader() throws InterruptedException {
        return client.inspect(NamePattern.ofName(name.full())).stream()
                .flatMap(lock -> Optional.ofNullable(lock.holder()).stream())
                .filter(holder -> !holder.owner().isEmpty())
                .findFirst();
    }

    @Override
    public void removeListener(ElectionListener listener) {
        listeners.remove(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public void addListener(ElectionListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"), term);
    }

    @Override
    public Optional<Lease> awaitLeadership(Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(maxWait, "maxWait");
        Lease lease = LeadershipFutures.await(await(), maxWait, client);
        return lease == null ? lease() : Optional.of(lease);
    }

    @Override
    public CompletableFuture<Lease> awaitLeadershipAsync() {
        CompletableFuture<Lease> elected = await();
        CompletableFuture<Lease> users = client.onCallbacks(elected);
        users.whenComplete((lease, failure) -> elected.cancel(false));
        return users;
    }

    /** Begins to wait, and only then looks whether the candidate leads, so that no election falls in between. */
    private CompletableFuture<Lease> await() {
        CompletableFuture<Lease> elected = futures.add();
        if (!isCampaigning()) {
            elected.cancel(false);
            throw new IllegalStateException(
                    "this candidate for '" + name + "' "
                            + (isClosed()
                                    ? "is closed"
                                    : "does not "
                                            + "campaign, so it would be waited for in vain: call start() first, or run() on another thread"));
        }
        lease().ifPresent(elected::complete);
        return elected;
    }

    private boolean isCampaigning() {
        guard.lock();
        try {
            return (phase == Phase.RUNNING || phase == Phase.STARTED) && !closing.isDone();
        } finally {
            guard.unlock();
        }
    }

    private boolean isClosed() {
        return closing.isDone();
    }

    // ---- campaigning ---------------------------------------------------------------------------------------------

    /** Enters a phase; returns false if the candidate was in this phase already. */
    private boolean enter(Phase next) {
        guard.lock();
        try {
            if (phase == Phase.CLOSED) {
                throw new IllegalStateException("this candidate for '" + name + "' is closed");
            }
            if (phase == next && next == Phase.STARTED) {
                return false;
            }
            if (phase != Phase.IDLE) {
                throw new IllegalStateException("this candidate for '" + name + "' campaigns already");
            }
            phase = next;
        } finally {
            guard.unlock();
        }
        try {
            client.closing().tellAtClose(clientCloses);
        } catch (IllegalStateException e) {
            end(e);
            throw e;
        }
        return true;
    }

    /** Ends the campaign; the candidate may begin another unless it is closed. */
    private void end(RuntimeException why) {
        client.closing().tellNoMore(clientCloses);
        guard.lock();
        try {
            if (phase != Phase.CLOSED) {
                phase = Phase.IDLE;
            }
        } finally {
            guard.unlock();
        }
        futures.fail(why);
    }

    /** Returns a new campaign, or null if the candidate is closed. */
    private @Nullable Campaign nextCampaign(Phase during) {
        guard.lock();
        try {
            if (phase != during) {
                return null;
            }
            Campaign next = new Campaign(client, name, lockOptions, during == Phase.STARTED ? this::refused : null);
            campaign = next;
            return next;
        } finally {
            guard.unlock();
        }
    }

    void stand(Campaign next) {
        if (resigned) {
            resigned = false;
            next.standAfterPause();
        } else {
            next.stand();
        }
    }

    private void refused(LockException failure) {
        LOG.log(
                Level.WARNING,
                "the candidate for ''{0}'' was refused by the store {1}, and will stand again in {2}: {3}",
                name,
                client,
                options.leaseDuration(),
                failure.getMessage());
        futures.fail(failure);
    }

    /** Begins a term after a campaign was won; null if the candidate or its client was closed in this moment. */
    @Nullable Term takeOffice(HeldLease lease) {
        Term next = new Term(lease, options, client.time(), this::termOver);
        guard.lock();
        try {
            if (phase == Phase.CLOSED || closing.isDone()) {
                next = null;
            } else {
                term = next;
            }
        } finally {
            guard.unlock();
        }
        if (next == null) {
            lease.end();
            return null;
        }
        lease.watcher().elected();
        next.begin();
        listeners.elected(next);
        next.announced.complete(null);
        futures.elected(lease);
        return next;
    }

    /**
     * Notifies the listeners of a term's end, but not before they are notified of its beginning: a term may end while the
     * election is still being announced.
     */
    private void termOver(Term ended) {
        ended.announced.thenRun(() -> listeners.demoted(ended, ended.endAnnounced));
    }

    @Override
    public boolean resign() {
        Term present = term;
        if (present == null || (!present.isInOffice() && present.isOver())) {
            return false;
        }
        resigned = true;
        return present.end("it has resigned");
    }

    @Override
    public void close() {
        Term present = closeAtOnce();
        if (present == null || foreground.isWorkingHere() || listeners.isNotifying()) {
            return;
        }
        present.awaitRelease();
    }

    private @Nullable Term closeAtOnce() {
        Campaign present;
        guard.lock();
        try {
            phase = Phase.CLOSED;
            present = campaign;
        } finally {
            guard.unlock();
        }
        closing.complete(null);
        client.closing().tellNoMore(clientCloses);
        if (present != null) {
            present.withdraw();
        }
        Term leading = term;
        if (leading != null) {
            leading.end("the candidate was closed");
        }
        futures.fail(new IllegalStateException("the candidate for '" + name + "' was closed"));
        return leading;
    }

    /**
     * Ends the term when the client closes. Called once, before the queues of the client begin to close: so the listeners
     * hear of it first, if they are quick.
     */
    private void clientCloses() {
        closing.complete(null);
        Campaign present;
        Term leading;
        guard.lock();
        try {
            present = campaign;
            leading = term;
        } finally {
            guard.unlock();
        }
        if (leading != null) {
            leading.end("its client closes");
        }
        if (present != null) {
            present.hurry();
        }
        futures.fail(new IllegalStateException("this Leasehold was closed while '" + name + "' was campaigned for"));
    }

    // ---- in the background ---------------------------------------------------------------------------------------

    @Override
    public void start() {
        client.checkOpen();
        if (enter(Phase.STARTED)) {
            standInBackground();
        }
    }

    private void standInBackground() {
        Campaign next = nextCampaign(Phase.STARTED);
        if (next == null) {
            return;
        }
        next.won.whenComplete((lease, failure) -> {
            if (lease != null) {
                leadInBackground(takeOffice(lease));
            } else if (failure != null && !(failure instanceof CancellationException)) {
                LOG.log(Level.DEBUG, "the candidate for ''{0}'' stands no longer: {1}", name, failure);
                end(new IllegalStateException("the candidate for '" + name + "' stands no longer", failure));
            }
        });
        stand(next);
    }

    private void leadInBackground(@Nullable Term leading) {
        if (leading != null) {
            leading.givenBack.thenRun(this::standInBackground);
            leading.workEnded.complete(null);
        }
    }

    // ---- on the caller's thread ----------------------------------------------------------------------------------

    @Override
    public <E extends Exception> void run(LeaseBody<E> work) throws E, InterruptedException {
        Objects.requireNonNull(work, "work");
        client.checkOpen();
        enter(Phase.RUNNING);
        try {
            foreground.run(work);
        } finally {
            end(new IllegalStateException("the campaign for '" + name + "' has ended"));
        }
    }

    /** Returns a campaign of {@link #run}, or null if the candidate is closed. */
    @Nullable Campaign nextInForeground() {
        return nextCampaign(Phase.RUNNING);
    }

    @Override
    public String toString() {
        Optional<Lease> present = lease();
        return "LeaderElection[" + name + " in " + client + ", "
                + present.map(lease -> "leading, term " + lease.token()).orElse("not leading") + "]";
    }
}
