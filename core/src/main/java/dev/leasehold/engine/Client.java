package dev.leasehold.engine;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.engine.jfr.FlightRecording;
import dev.leasehold.engine.observation.Observers;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.queue.FirstContact;
import dev.leasehold.engine.queue.LeftLeases;
import dev.leasehold.engine.queue.QueueSettings;
import dev.leasehold.engine.threads.BlockingThreads;
import dev.leasehold.engine.threads.Callbacks;
import dev.leasehold.engine.threads.SpinWait;
import dev.leasehold.engine.threads.SystemTime;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.CallerThreads;
import dev.leasehold.internal.DurationText;
import dev.leasehold.internal.Stages;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.ObservedClient;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Trial;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client has a store, a time source, and a queue for each lock that is in use. */
public final class Client {

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    /** The time that closing gives holds to end unless the caller says otherwise. */
    public static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

    private final ClientSettings settings;
    private final TimeSource time;
    private final Callbacks callbacks;
    private final Store store;
    private final QueueSettings queueSettings;
    private final ThreadHolds threadHolds = new ThreadHolds();
    private final LockQueues queues;
    private final ClientClosing closing;
    private final SpinWait spin;
    private final Observers observers;
    private final SleepWatch sleepWatch;
    final ClientLog log;

    /** Goes on on the timer's thread. */
    final Executor relief;

    public Client(ClientSettings settings) {
        this.settings = settings;
        int number = CLIENTS.incrementAndGet();
        TimeSource given = settings.time();
        SystemTime ownTime = given == null ? new SystemTime("leasehold-timer-" + number) : null;
        time = given != null ? given : java.util.Objects.requireNonNull(ownTime);
        log = new ClientLog(time, ClientInfo.describe(settings.label()));
        queues = new LockQueues(this::queue);
        relief = work -> time.schedule(Duration.ZERO, work);
        LeftLeases left = new LeftLeases();
        sleepWatch = new SleepWatch(
                time,
                () -> left.areAny(time.nanos()) || !queues.isEmpty(),
                () -> queues.tell(lock -> true, new Event.Look()));
        callbacks = new Callbacks(settings.executor(), given != null, "leasehold-callback-" + number);
        observers = new Observers(
                sources(settings.observers()),
                new ObservedClient(
                        settings.label(),
                        settings.store().kind(),
                        settings.store().toString()),
                time,
                callbacks);
        ClientIdentity identity = new ClientIdentity(settings.random());
        AtomicLong claims = new AtomicLong();
        store = settings.store().open(context(identity, new QueueSignals()));
        spin = store instanceof CallerThreads own && own.mayAnswerAtOnce() ? SpinWait.usual() : SpinWait.none();
        queueSettings = new QueueSettings(
                settings.store().toString(),
                () -> new ClaimId(identity.get(), claims.incrementAndGet()),
                settings.localHandOvers(),
                settings.storeTimeout(),
                store.requestHorizon(),
                new Random(settings.random().nextLong()),
                new FirstContact(),
                left);
        closing = new ClientClosing(
                store,
                toString(),
                time,
                ownTime == null ? () -> {} : ownTime::close,
                callbacks,
                queues,
                settings.storeTimeout());
        try {
            check(settings.options());
        } catch (IllegalArgumentException e) {
            closing.shut();
            throw e;
        }
    }

    private static List<Observers.Source> sources(List<LeaseholdObserver> users) {
        List<Observers.Source> sources = new ArrayList<>();
        users.forEach(each -> sources.add(new Observers.Source(each, () -> true)));
        FlightRecording.Recorder recorder = FlightRecording.find();
        if (recorder != null) {
            sources.add(new Observers.Source(recorder, recorder::isOn));
        }
        return sources;
    }

    private StoreContext context(ClientIdentity identity, Signals signals) {
        return new StoreContext(
                identity,
                ClientInfo.describe(settings.label()),
                settings.namespace(),
                time,
                settings.storeTimeout(),
                signals);
    }

    /** Examines the store under a fresh client id, so that nothing it does can be taken for this client's. */
    public Examination examine() throws InterruptedException {
        checkOpen();
        return settings.store().examine(context(new ClientIdentity(settings.random()), new NoSignals()));
    }

    /**
     * Puts each question to the store that a lock needs, for a lease and a claim that do not exist: so nothing is taken,
     * and nothing changes. Under a client id and connections of its own, so that a snapshot afterwards has neither.
     */
    public void check() throws InterruptedException {
        checkOpen();
        StoreContext own = context(new ClientIdentity(settings.random()), new NoSignals());
        try (Store opened = settings.store().open(own)) {
            ClaimId claim = new ClaimId(own.clientId(), 1);
            LeaseId lease = new LeaseId(Trial.LOCK, claim, 1);
            ask(opened.inspect(NamePattern.of(Trial.LOCK)), "the inspection");
            ask(opened.renew(lease, LockOptions.SHORTEST_LEASE), "the renewal of a lease that does not exist");
            ask(opened.release(lease, Duration.ZERO), "the release of a lease that does not exist");
            ask(
                    opened.withdraw(Trial.LOCK, claim).thenApply(done -> true),
                    "the withdrawal of a claim that does not exist");
        }
    }

    public ClientSettings settings() {
        return settings;
    }

    /** Returns which threads own which locks. */
    ThreadHolds threadHolds() {
        return threadHolds;
    }

    void checkDowngrade() {
        String why = store.sharing().whyNoDowngrade();
        if (!why.isEmpty()) {
            throw new UnsupportedOperationException("the store " + this + " makes no readers of writers: " + why);
        }
    }

    /** Refuses a share that the store does not grant, with the reason. */
    void checkShare(int share, String what) {
        Sharing sharing = store.sharing();
        if (!sharing.includes(share)) {
            throw new UnsupportedOperationException(
                    "the store " + this + " has no " + what + ": " + sharing.whyNotAll());
        }
    }

    public List<LockInfo> inspect(NamePattern pattern) throws InterruptedException {
        checkOpen();
        PatientQuestion<List<LockInfo>> question = () -> ask(store.inspect(pattern), "the inspection");
        return question.ask(time, settings.storeTimeout());
    }

    public boolean breakLock(String name, long token) throws InterruptedException {
        checkOpen();
        boolean broken = ask(store.breakLease(name, token), "the break of '" + name + "'");
        if (broken) {
            log.broke(name, token);
        }
        return broken;
    }

    private <T> T ask(CompletionStage<T> answer, String question) throws InterruptedException {
        return await(
                answer,
                () -> question + " within " + DurationText.of(settings.storeTimeout())
                        + "; check that it is reachable");
    }

    /**
     * Waits for an answer of the store, for as long as the store timeout.
     *
     * @param unanswered says what the store did not answer, for the exception
     */
    <T extends @Nullable Object> T await(CompletionStage<T> answer, Supplier<String> unanswered)
            throws InterruptedException {
        try {
            return answer.toCompletableFuture().get(settings.storeTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw rethrown(e);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "the store " + this + " did not answer " + unanswered.get(),
                    toString(),
                    StoreUnavailableException.Outcome.UNKNOWN,
                    e);
        }
    }

    /**
     * Makes the failure of a call anew. The engine has made it on whichever thread the store's answer came in, perhaps for
     * many callers at once, so its stack trace says nothing of the caller that gets it now. The original is the cause.
     */
    public RuntimeException rethrown(ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause instanceof StoreUnavailableException known) {
            return new StoreUnavailableException(
                    message(known),
                    known.node(),
                    known.outcome(),
                    known.nodes(),
                    known.backIn(),
                    known.isStoreDown(),
                    known);
        } else if (cause instanceof LeaseLostException known) {
            return new LeaseLostException(known.lock(), known.token(), known.reason(), known);
        } else if (cause instanceof LockException && cause.getClass() == LockException.class) {
            return new LockException(message(cause), cause);
        } else if (cause instanceof IllegalStateException) {
            return new IllegalStateException(message(cause), cause);
        } else if (cause instanceof RuntimeException known) {
            return known;
        }
        return new LockException("the store " + this + " failed: " + cause, cause);
    }

    private static String message(Throwable of) {
        return String.valueOf(of.getMessage());
    }

    /** Refuses options that no lease of this store can have. */
    public void check(LockOptions options) {
        checkLease(options.leaseDuration());
        if (options.minHold().compareTo(store.maxLease()) > 0) {
            throw new IllegalArgumentException(
                    "minHold must be at most " + DurationText.of(store.maxLease()) + " on the store " + this
                            + ", the longest lease there, but was " + DurationText.of(options.minHold()));
        }
    }

    void checkLease(Duration lease) {
        Duration most = store.maxLease();
        if (lease.compareTo(LockOptions.SHORTEST_LEASE) < 0 || lease.compareTo(most) > 0) {
            throw new IllegalArgumentException("a lease must be 100 ms to " + DurationText.of(most) + " on the store "
                    + this + ", but was " + DurationText.of(lease));
        }
    }

    public void checkOpen() {
        closing.checkOpen();
    }

    /** Returns the end of this client. */
    public ClientClosing closing() {
        return closing;
    }

    public TimeSource time() {
        return time;
    }

    public Callbacks callbacks() {
        return callbacks;
    }

    Observers observers() {
        return observers;
    }

    SpinWait spin() {
        return spin;
    }

    /** Returns a future that completes like another, but on the users' executor. */
    public <T> CompletableFuture<T> onCallbacks(CompletableFuture<T> engines) {
        CompletableFuture<T> users = new CompletableFuture<>();
        engines.whenComplete((value, failure) -> callbacks.execute(() -> Stages.settle(users, value, failure)));
        return users;
    }

    /** Runs a task that sends requests to the store, on a thread that is about to wait for the answers. */
    void runOnCaller(Runnable request) {
        if (store instanceof CallerThreads own && BlockingThreads.mayBlock()) {
            own.runOnCaller(request);
        } else {
            request.run();
        }
    }

    /** Brings an event to the queue of a lock, and makes the queue if there is none. */
    void post(String lock, int share, Event event) {
        queues.post(lock, share, event);
        sleepWatch.begin();
    }

    /** Brings an event to all queues of a lock. */
    void tell(String lock, Event event) {
        queues.tell(lock, event);
    }

    void postIfPresent(String lock, int share, Event event) {
        queues.postIfPresent(lock, share, event);
    }

    private QueueRunner queue(String lock, int share) {
        return new QueueRunner(lock, share, this, store, time, queueSettings);
    }

    void retired(String lock, QueueRunner runner) {
        queues.remove(lock, runner);
        closing.retired();
    }

    @Override
    public String toString() {
        return settings.store().toString();
    }

    private static final class NoSignals implements Signals {

        @Override
        public void granted(Grant grant, @Nullable Validity validity) {}

        @Override
        public void doubt(@Nullable String lock) {}
    }

    private final class QueueSignals implements Signals {

        @Override
        public void granted(Grant grant, @Nullable Validity validity) {
            post(grant.lease().lock(), grant.share(), new Event.GrantSignal(grant, validity));
        }

        @Override
        public void doubt(@Nullable String lock) {
            tell(lock, new Event.DoubtSignal(false));
        }

        @Override
        public void doubtIf(Predicate<String> affected) {
            queues.tell(affected, new Event.DoubtSignal(false));
        }

        @Override
        public void risk(@Nullable String lock) {
            tell(lock, new Event.DoubtSignal(true));
        }

        private void tell(@Nullable String lock, Event event) {
            if (lock == null) {
                queues.tell(any -> true, event);
            } else {
                queues.tell(lock, event);
            }
        }
    }
}
