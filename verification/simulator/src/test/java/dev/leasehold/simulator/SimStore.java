package dev.leasehold.simulator;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A simulated store is the client's side of it: as a real one, it knows only its own clock, sends, and waits for an answer
 * or until it gives up. An answer that comes after that is dropped; the request may have been carried out.
 */
final class SimStore implements Store, SimServer.Inbox {

    private final SimWorld world;
    private final SimScenario scenario;
    private final StoreContext context;
    private final SimProcess process;
    private final SimServer server;
    private final SimLink there;
    private final SimLink back;
    private final SimLink pushed;
    private final SplittableRandom chance;
    private final Map<Long, CompletableFuture<?>> pending = new LinkedHashMap<>();
    private long sent;
    private boolean closed;

    SimStore(
            SimWorld world,
            SimScenario scenario,
            StoreContext context,
            SimProcess process,
            SimServer server,
            List<SimLink> links) {
        this.world = world;
        this.scenario = scenario;
        this.context = context;
        this.process = process;
        this.server = server;
        this.there = links.get(0);
        this.back = links.get(1);
        this.pushed = links.get(2);
        this.chance = world.chance("store " + process.name());
        server.connect(context.clientId(), this);
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return send(new SimRequest.Ask(claim, process.name(), context.time().now()), (answer, sentAt) -> {
            if (answer instanceof SimAnswer.Granted granted) {
                return new ClaimAnswer.Granted(
                        granted.lease(),
                        granted.spare(),
                        granted.slot(),
                        validity(sentAt, granted.leftMicros(), claim.lease()));
            }
            SimAnswer.Busy busy = (SimAnswer.Busy) answer;
            HolderInfo holder = busy.token() == 0 ? null : new HolderInfo(busy.owner(), busy.token(), null, null, null);
            return new ClaimAnswer.Busy(holder, Duration.ofNanos(busy.leftMicros() * 1000), busy.place());
        });
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return send(new SimRequest.Renew(lease, duration), (answer, sentAt) -> {
            if (answer instanceof SimAnswer.Renewed renewed) {
                return new RenewAnswer.Renewed(validity(sentAt, renewed.leftMicros(), duration));
            }
            return scenario.on(SimGuard.LOSS_ANSWERED)
                    ? new RenewAnswer.Lost()
                    : new RenewAnswer.Renewed(Validity.of(sentAt, duration));
        });
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return send(
                new SimRequest.Downgrade(lease, duration),
                (answer, sentAt) -> answer instanceof SimAnswer.Renewed renewed
                        ? new RenewAnswer.Renewed(validity(sentAt, renewed.leftMicros(), duration))
                        : new RenewAnswer.Lost());
    }

    @Override
    public Sharing sharing() {
        return Sharing.all();
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return send(
                new SimRequest.Release(lease, keepFor),
                (answer, sentAt) -> ((SimAnswer.Ended) answer).was() ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD);
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return send(new SimRequest.Withdraw(lock, claim), (answer, sentAt) -> true)
                .thenApply(done -> null);
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return send(new SimRequest.Break(lock, token), (answer, sentAt) -> ((SimAnswer.Ended) answer).was());
    }

    /** Returns nothing, since inspection is not simulated: nothing may be decided by it. */
    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public Duration requestHorizon() {
        return Duration.ofNanos(scenario.longestDelay * 102 / 100);
    }

    @Override
    public void close() {
        closed = true;
        server.disconnect(context.clientId());
        for (CompletableFuture<?> operation : new ArrayList<>(pending.values())) {
            operation.completeExceptionally(failure("the store was closed", Outcome.UNKNOWN));
        }
    }

    @Override
    public void signal(SimSignal signal) {
        pushed.send(() -> process.run(() -> receive(signal)));
    }

    @Override
    public void broken() {
        pushed.send(() -> process.run(() -> {
            if (!closed) {
                context.signals().doubt(null);
            }
        }));
    }

    private void receive(SimSignal signal) {
        if (closed) {
            return;
        }
        if (signal instanceof SimSignal.HandedOver granted) {
            Validity validity = usable(granted);
            world.note(
                    process.name(),
                    validity == null ? "is pushed a reason to ask" : "is pushed a usable grant",
                    granted.lease());
            context.signals()
                    .granted(new Grant(granted.lease(), granted.spare(), granted.share(), granted.slot()), validity);
        } else {
            context.signals().doubt(((SimSignal.Broken) signal).lease().lock());
        }
    }

    // As ClockStamp of leasehold-redis: the grant was made after the question with that stamp had been sent. Where the
    // stamp is old, the grant is only a reason to ask.
    private @Nullable Validity usable(SimSignal.HandedOver granted) {
        boolean draw = chance.nextDouble() < scenario.usableSignals;
        ClockReading received = context.time().now();
        Duration period = Duration.ofNanos(granted.periodMicros() * 1000);
        long age = received.nanos() - granted.stamp().nanos();
        if (!draw || age < 0 || age > period.toNanos() / 2) {
            return null;
        }
        return Validity.of(scenario.on(SimGuard.PUSHED_GRANT_FROM_STAMP) ? granted.stamp() : received, period);
    }

    private Validity validity(ClockReading sentAt, long leftMicros, Duration asked) {
        ClockReading from = scenario.on(SimGuard.DEADLINE_FROM_SENDING)
                ? sentAt
                : context.time().now();
        // As servers do, in whole milliseconds, and rounded in the dangerous direction.
        Duration left = Duration.ofMillis((leftMicros + 999) / 1000);
        return Validity.of(from, scenario.on(SimGuard.TIME_LEFT_FROM_ANSWER) ? left : asked.multipliedBy(3));
    }

    private <T> CompletionStage<T> send(SimRequest request, BiFunction<SimAnswer, ClockReading, T> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (closed) {
            result.completeExceptionally(failure("the store was closed", Outcome.NOT_CARRIED_OUT));
            return result;
        }
        if (!server.isUp() && chance.nextBoolean()) {
            result.completeExceptionally(failure("connection refused", Outcome.NOT_CARRIED_OUT));
            return result;
        }
        if (server.isRefusing()) {
            result.completeExceptionally(new LockException("simulated: no right to do this"));
            return result;
        }
        long number = ++sent;
        pending.put(number, result);
        ClockReading sentAt = context.time().now();
        TimeSource.Timer limit = context.time().schedule(scenario.operationTimeout, () -> {
            if (pending.remove(number) != null) {
                world.note(process.name(), "gives up waiting for an answer", request);
                result.completeExceptionally(failure("no answer", Outcome.UNKNOWN));
            }
        });
        there.send(() -> server.handle(
                request,
                answer -> back.send(() -> process.run(() -> {
                    if (pending.remove(number) != null) {
                        limit.cancel();
                        result.complete(read.apply(answer, sentAt));
                    }
                }))));
        return result;
    }

    private static StoreUnavailableException failure(String what, Outcome outcome) {
        return new StoreUnavailableException("simulated: " + what, "sim", outcome, null);
    }
}
