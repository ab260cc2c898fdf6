package dev.leasehold.jdbc.server;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.CallerThreads;
import dev.leasehold.internal.RequestHorizon;
import dev.leasehold.internal.Timeouts;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.NoConnection;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.protocol.LocalClients;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An open JDBC store is one client's view of a database on a server. Thread-safe; the work is done by its {@link Workers}.
 */
public final class OpenJdbcStore
        implements Store, CallerThreads, LocalClients.LocalClient, PostgresListener.Client, PinnedSession.Client {

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private final String name;
    private final StoreContext context;
    private final ConnectionSource source;
    private final DatabaseAccess database;
    private final OperationExecutor executor;
    private final Notifier notifier;
    private final Workers workers;
    private final WaitPoller poller;
    private final Renewals renewals;
    private final RowExpiry rowExpiry;
    private final Timeouts<StoreOperation<?>> timeouts;
    private final RenewalOutage outage = new RenewalOutage();
    private final SharedClaims shared = new SharedClaims();

    /** Claims that may stand in a queue without being counted there: see {@link WaitingPath}. */
    private final Set<ClaimId> joining = ConcurrentHashMap.newKeySet();

    private final boolean mayListen;
    private final PostgresListener listener;
    private final RenewedLeases renewed;
    private final @Nullable PinnedSession session;

    public OpenJdbcStore(String name, JdbcSettings settings, ConnectionSource.Opener opener, StoreContext context) {
        this.name = name;
        this.context = context;
        int connections = settings.connections();
        int kept = settings.sessionLocks() ? 2 : 1;
        this.source = opener.open(connections + kept, DatabaseAccess.databaseTimeout(context.storeTimeout()));
        this.notifier = new Notifier(this, settings.listen());
        int id = CLIENTS.incrementAndGet();
        this.session =
                settings.sessionLocks() ? new PinnedSession("leasehold-jdbc-" + id + "-session", context, this) : null;
        this.database = new DatabaseAccess(
                source, new SchemaCheck(settings, name), name, context, notifier, this::added, session);
        this.executor = new OperationExecutor(
                database, name, context, notifier, this::added, session, new CallerRunsPolicy(context, source));
        this.workers = new Workers("leasehold-jdbc-" + id, connections);
        this.poller =
                new WaitPoller(context, () -> later(this::look), () -> session == null && !database.isReadElsewhere());
        Workers.Task batch = new Workers.Task(Workers.Rank.BATCH, null, this::renewGathered, null);
        this.renewals =
                new Renewals(context.time(), shared, this::renewAlone, () -> workers.submit(batch), workers::areTaken);
        this.rowExpiry = new RowExpiry(() -> later(this::expireRows), this::expired);
        this.mayListen = settings.listen();
        this.renewed = new RenewedLeases(context.time());
        this.listener = new PostgresListener(
                "leasehold-jdbc-" + id + "-listen", () -> Notifier.channel(context.clientId()), this);
        this.timeouts = new Timeouts<>(
                context.time()::nanos,
                (delay, task) -> context.time().schedule(delay, task)::cancel,
                context.storeTimeout(),
                StoreOperation::isOver,
                late -> late.forEach(this::giveUp));
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        StoreOperation<ClaimAnswer> operation =
                operation((protocol, now) -> protocol.claim(claim, now), answer -> claimed(claim, answer));
        ServerOperation.First<ClaimAnswer> first =
                session != null || claim.isShared() || poller.isWaiting(claim.id()) || joining.contains(claim.id())
                        ? null
                        : (path, sql, sentAt) -> path.claim(sql, claim, sentAt);
        ServerOperation.Waiting<ClaimAnswer> waiting = session != null ? null : path -> path.claim(claim, joining);
        return submit(new ServerOperation<>(operation, claim.lock(), first, waiting, claim.id(), null, true, false));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        StoreOperation<RenewAnswer> operation =
                operation((protocol, now) -> protocol.renew(lease, duration, now), answer -> {});
        operation.answer().whenComplete((answer, failure) -> {
            outage.heard(failure);
            if (answer instanceof RenewAnswer.Lost) {
                forget(lease.claim());
            } else if (answer != null && mayListen && database.canListen()) {
                renewed.add(lease.claim(), duration);
                listener.want();
            }
        });
        if (timeouts.add(operation, context.time().nanos())) {
            Renewals.Renewal renewal = new Renewals.Renewal(lease, duration, operation);
            if (session != null) {
                session.renew(renewal);
            } else {
                renewals.add(renewal);
            }
        } else {
            operation.fail(outcome -> ServerFailures.closed(name));
        }
        return operation.answer();
    }

    private void renewAlone(Renewals.Renewal renewal) {
        LeaseId lease = renewal.lease();
        start(
                new ServerOperation<>(
                        renewal.operation(),
                        lease.lock(),
                        (path, sql, sentAt) -> shared.contains(lease.claim())
                                ? path.renewShared(sql, lease, renewal.duration(), sentAt)
                                : path.renew(sql, lease, renewal.duration(), sentAt),
                        path -> path.renew(lease.lock(), lease.claim()),
                        lease.claim(),
                        new RenewAnswer.Lost(),
                        false,
                        true),
                Workers.Rank.HELD);
    }

    /** Renews what the batch could not: a hand-over still to be confirmed, or a lost lease. */
    @Override
    public void renewOtherwise(Renewals.Renewal renewal) {
        start(new ServerOperation<>(renewal.operation(), renewal.lease().lock(), true), Workers.Rank.HELD);
    }

    @Override
    public void expired(String lock) {
        submit(new ServerOperation<>(operation((protocol, now) -> protocol.tidy(lock, now), found -> {}), lock, true));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        if (session != null) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException(
                    "the store " + name + " has no downgrades: " + SessionLocks.NOT_SHARED + "; nothing was done"));
        }
        StoreOperation<RenewAnswer> operation = operation(
                (protocol, now) -> protocol.downgrade(lease, duration, now), answer -> shared.add(lease.claim()));
        return submit(new ServerOperation<>(operation, lease.lock(), true));
    }

    @Override
    public Sharing sharing() {
        return session != null ? Sharing.exclusiveOnly(SessionLocks.NOT_SHARED) : Sharing.all();
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        StoreOperation<ReleaseAnswer> operation =
                operation((protocol, now) -> protocol.release(lease, keepFor, now), answer -> {
                    forget(lease.claim());
                    drop(lease.lock(), lease::equals);
                });
        ServerOperation.First<ReleaseAnswer> first =
                session != null ? null : (path, sql, sentAt) -> path.release(sql, lease, keepFor);
        // No look before the transaction: where the single statement is not enough, there is somebody to hand over to.
        ReleaseAnswer ifTaken = session != null ? null : ReleaseAnswer.NOT_HELD;
        return submit(
                new ServerOperation<>(operation, lease.lock(), first, null, lease.claim(), ifTaken, false, false),
                Workers.Rank.HELD);
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        StoreOperation<Boolean> operation = operation((protocol, now) -> protocol.withdraw(lock, claim, now), found -> {
            poller.finished(claim);
            joining.remove(claim);
            forget(claim);
            drop(lock, lease -> lease.claim().equals(claim));
        });
        ServerOperation.Waiting<Boolean> waiting = session != null ? null : path -> path.withdraw(lock, claim);
        return submit(new ServerOperation<>(operation, lock, null, waiting, null, null, false, true))
                .thenAccept(found -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        StoreOperation<List<LockInfo>> operation =
                operation((protocol, now) -> protocol.inspect(pattern, now), answer -> {});
        return submit(new ServerOperation<>(operation, null, true));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        StoreOperation<Boolean> operation =
                operation((protocol, now) -> protocol.breakLease(lock, token, now), answer -> {});
        return submit(new ServerOperation<>(operation, lock, false));
    }

    @Override
    public Duration maxLease() {
        return session != null ? PinnedSession.LONGEST : TxContext.LONGEST;
    }

    @Override
    public boolean closingEndsLeases() {
        return session != null;
    }

    /** A statement may have reached the server, and wait there for a row, when its connection breaks here. */
    @Override
    public Duration requestHorizon() {
        return RequestHorizon.of(context.storeTimeout());
    }

    @Override
    public String client() {
        return context.clientId();
    }

    @Override
    public void nudge() {
        poller.nudge();
    }

    @Override
    public void doubt(String lock) {
        context.signals().doubt(lock);
    }

    @Override
    public void close() {
        timeouts.close().forEach(operation -> operation.fail(outcome -> ServerFailures.closedMeanwhile(name, outcome)));
        poller.close();
        listener.close();
        if (session != null) {
            session.close();
        }
        workers.close();
        notifier.close();
        source.close();
    }

    private void forget(ClaimId claim) {
        shared.remove(claim);
        renewed.remove(claim);
    }

    /** The session shall not go on holding what has been given up, whatever the row said. */
    private void drop(String lock, Predicate<LeaseId> which) {
        if (session != null) {
            session.dropIf(lock, which);
        }
    }

    private <T> StoreOperation<T> operation(StoreOperation.Work<T> work, Consumer<T> note) {
        return new StoreOperation<>(work, note, true);
    }

    private <T> CompletionStage<T> submit(ServerOperation<T> request) {
        return submit(request, Workers.Rank.OTHER);
    }

    private <T> CompletionStage<T> submit(ServerOperation<T> request, Workers.Rank rank) {
        if (timeouts.add(request.operation(), context.time().nanos())) {
            start(request, rank);
        } else {
            request.operation().fail(outcome -> ServerFailures.closed(name));
        }
        return request.operation().answer();
    }

    private void start(ServerOperation<?> request, Workers.Rank rank) {
        Workers.CallerTask once = request.first() == null ? null : () -> once(request);
        if (!workers.submit(new Workers.Task(rank, request.lock(), () -> executor.perform(request), once))) {
            request.operation().fail(outcome -> ServerFailures.closed(name));
        }
    }

    private @Nullable Runnable once(ServerOperation<?> request) {
        ServerOperation<?> left = executor.performOnce(request);
        return left == null ? null : () -> executor.perform(left);
    }

    /** Session locks need transactions, and a session that belongs to its own thread. */
    @Override
    public void runOnCaller(Runnable request) {
        database.calling();
        if (session == null && executor.mayRunOnCaller()) {
            workers.runOnCaller(request);
        } else {
            request.run();
        }
    }

    private void later(Runnable work) {
        workers.submit(new Workers.Task(null, work));
    }

    private void look() {
        poller.look(database);
    }

    private void renewGathered() {
        renewals.renew(database);
    }

    private void expireRows() {
        rowExpiry.look(database);
    }

    private void added(String lock) {
        rowExpiry.added(lock);
    }

    private void claimed(Claim claim, ClaimAnswer answer) {
        boolean mayHold = !(answer instanceof ClaimAnswer.Busy taken) || taken.place() > 0;
        if (claim.isShared() && mayHold) {
            shared.add(claim.id());
        }
        poller.claimed(claim, answer, database.isReadElsewhere());
        if (mayListen && answer instanceof ClaimAnswer.Busy busy && busy.place() > 0 && database.canListen()) {
            listener.want();
        }
    }

    @Override
    public PooledConnection connect() throws SQLException {
        return database.lend();
    }

    @Override
    public void notifySelf(String channel, String payload) {
        later(() -> {
            try {
                database.with((borrowed, at) -> Notifier.send(borrowed.sql(), channel, payload));
            } catch (SQLException | RuntimeException e) {
                System.getLogger("dev.leasehold.jdbc").log(System.Logger.Level.DEBUG, "testing messages", e);
            }
        });
    }

    @Override
    public void granted() {
        poller.nudge();
    }

    @Override
    public void broken(String lock) {
        doubt(lock);
    }

    @Override
    public void told(boolean comesThrough) {
        poller.told(comesThrough && !database.isReadElsewhere());
    }

    @Override
    public boolean isIdle() {
        return poller.isIdle() && renewed.isEmpty();
    }

    @Override
    public boolean isStarved() {
        return database.isStarved();
    }

    private void giveUp(StoreOperation<?> operation) {
        NoConnection exhausted = database.exhausted();
        operation.fail(outcome -> exhausted != null
                ? ServerFailures.noConnection(exhausted, name, outcome)
                : ServerFailures.timedOut(name, timeouts.limit(), outcome, null));
    }
}
