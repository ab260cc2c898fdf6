package dev.leasehold.engine.set;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.Request;
import dev.leasehold.engine.threads.Callbacks;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.internal.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A set acquisition is one call to obtain a set, on its way.
 *
 * <p>Why no two of them wait for each other in a circle: a set that waits for a name, in the store's queue, holds only
 * names before it in {@link Member#ORDER}. So along a chain of waiting the names grow, and no chain comes back to its
 * beginning. To that end all names that are missing are tried at once without queueing, the leases before the first
 * refusal are kept, all behind it are given back, and that one name is queued for. A lease that is lost meanwhile breaks
 * the rule for everything behind it: that is given back, what was queued for is withdrawn, and the lost name comes next.
 *
 * <p>A call that makes one try asks for one name after the other, in this order, and ends with the first refusal. So a set
 * fails only by a name that another holds, which fails, if at all, by a later one: of several that try at the same time, one
 * gets all its names. If all were asked for at once, each could get a part and give it back.
 *
 * <p>Its state is touched by tasks of its serial executor only.
 */
final class SetAcquisition {

    private final Client client;
    private final List<Member> members;
    private final LockOptions options;
    private final LockOptions collecting;
    private final @Nullable Duration maxWait;
    private final @Nullable Thread waiter;
    private final long begunAt;
    private final SerialExecutor serial;
    private final @Nullable HeldLease[] leases;
    private final @Nullable Request[] requests;

    /** What is asked for from then on is asked for on threads of the engine. */
    private boolean begun;

    private int unanswered;
    private int queuedFor = -1;
    private boolean over;
    private @Nullable Throwable failure;

    /** Completes with the set, with null if it is busy, or exceptionally. */
    final CompletableFuture<@Nullable HeldSet> outcome = new CompletableFuture<>();

    /** Makes one for a thread that waits for its outcome, or for none. */
    SetAcquisition(
            Client client,
            List<Member> members,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread waiter) {
        this.client = client;
        this.members = members;
        this.options = options;
        this.maxWait = maxWait;
        this.waiter = waiter;
        begunAt = client.time().nanos();
        Duration lease = options.leaseDuration();
        collecting = options.withMaxHold(LockOptions.FOREVER)
                .withMinHold(Duration.ZERO)
                .withAutoRenew(true)
                .withLeaseDuration(options.maxHold().compareTo(lease) < 0 ? options.maxHold() : lease);
        serial = new SerialExecutor(Runnable::run, Runnable::run, Integer.MAX_VALUE, this::failed);
        leases = new HeldLease[members.size()];
        requests = new Request[members.size()];
    }

    void begin() {
        serial.execute(() -> {
            tryFrom(0);
            begun = true;
        });
    }

    /** Gives everything back. */
    void giveUp() {
        if (outcome.cancel(false)) {
            serial.execute(this::stop);
            return;
        }
        if (!outcome.isCompletedExceptionally()) {
            HeldSet held = outcome.getNow(null);
            if (held != null) {
                held.leases().forEach(SetAcquisition::giveBack);
            }
        }
    }

    private void failed(Throwable fault) {
        outcome.completeExceptionally(fault);
        stop();
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    /** Tries all names from one on, at once and without queueing; a call that makes one try asks for the first alone. */
    private void tryFrom(int first) {
        if (isOneTry()) {
            queuedFor = first;
            ask(first, Duration.ZERO);
            return;
        }
        unanswered = members.size() - first;
        for (int i = first; i < members.size(); i++) {
            ask(i, Duration.ZERO);
        }
    }

    private void ask(int i, @Nullable Duration limit) {
        Member member = members.get(i);
        Request request = Request.sendFor(client, member.name(), member.share(), collecting, limit, waiter, !begun);
        requests[i] = request;
        request.whenDone((lease, refusal) -> serial.execute(() -> answered(i, request, lease, refusal)));
    }

    private void answered(int i, Request request, @Nullable HeldLease lease, @Nullable Throwable refusal) {
        if (requests[i] != request) {
            if (lease != null) {
                giveBack(lease);
            }
            return;
        }
        requests[i] = null;
        leases[i] = lease;
        if (lease != null) {
            lease.watcher().follow(() -> serial.execute(this::look));
        }
        if (queuedFor == i) {
            queuedFor = -1;
            if (lease == null) {
                end(refusal);
            } else {
                goOn(false);
            }
            return;
        }
        if (refusal != null && !(refusal instanceof StoreUnavailableException)) {
            failure = refusal;
        }
        if (--unanswered == 0) {
            goOn(true);
        }
    }

    /** Goes on when nothing is under way. */
    private void goOn(boolean tried) {
        if (over) {
            return;
        }
        int kept = validPrefix();
        boolean lost = leases[Math.min(kept, leases.length - 1)] != null && kept < leases.length;
        giveBackFrom(kept);
        if (failure != null) {
            end(failure);
        } else if (kept == members.size()) {
            complete();
        } else if (lost || !tried) {
            tryFrom(kept);
        } else {
            queueFor(kept);
        }
    }

    private void queueFor(int i) {
        Duration left = null;
        if (maxWait != null) {
            left = maxWait.minusNanos(client.time().nanos() - begunAt);
            if (left.isNegative() || left.isZero()) {
                end(null);
                return;
            }
        }
        queuedFor = i;
        ask(i, left);
    }

    /** Looks whether a lease before the name that is queued for was lost. */
    private void look() {
        if (over || queuedFor < 0 || validPrefix() >= queuedFor) {
            return;
        }
        Request waiting = requests[queuedFor];
        requests[queuedFor] = null;
        queuedFor = -1;
        if (waiting != null) {
            waiting.giveUp();
        }
        goOn(false);
    }

    private boolean isOneTry() {
        return maxWait != null && (maxWait.isZero() || maxWait.isNegative());
    }

    private int validPrefix() {
        int valid = 0;
        while (valid < leases.length && isValid(leases[valid])) {
            valid++;
        }
        return valid;
    }

    private static boolean isValid(@Nullable HeldLease lease) {
        return lease != null && lease.look().isValid();
    }

    // ---- ends ----------------------------------------------------------------------------------------------------

    private void complete() {
        List<HeldLease> held = new ArrayList<>();
        List<CompletableFuture<?>> confirmed = new ArrayList<>();
        for (HeldLease lease : leases) {
            HeldLease got = Objects.requireNonNull(lease);
            held.add(got);
            got.watcher().follow(() -> {});
            confirmed.add(got.beginAnew(options));
        }
        over = true;
        CompletableFuture.allOf(confirmed.toArray(CompletableFuture[]::new)).whenComplete((done, unconfirmed) -> {
            if (unconfirmed != null) {
                serial.execute(this::beginAgain);
                return;
            }
            if (!outcome.complete(new HeldSet(client, held))) {
                held.forEach(SetAcquisition::giveBack);
            }
        });
    }

    /** Begins again after a lease was lost while the set was being confirmed: nobody has had it yet. */
    private void beginAgain() {
        giveBackFrom(0);
        if (!outcome.isDone()) {
            over = false;
            tryFrom(0);
        }
    }

    private void end(@Nullable Throwable why) {
        stop();
        Stages.settle(outcome, null, why);
    }

    private void stop() {
        over = true;
        Request[] pending = Arrays.stream(requests).filter(Objects::nonNull).toArray(Request[]::new);
        Arrays.fill(requests, null);
        for (Request request : pending) {
            request.giveUp();
        }
        giveBackFrom(0);
    }

    private void giveBackFrom(int first) {
        for (int i = leases.length - 1; i >= first; i--) {
            HeldLease lease = leases[i];
            leases[i] = null;
            if (lease != null) {
                giveBack(lease);
            }
        }
    }

    private static void giveBack(HeldLease lease) {
        lease.watcher().follow(() -> {});
        lease.hold().notDelivered();
        if (lease.look() != LeaseState.RELEASED) {
            lease.end();
        }
    }

    /** Returns the outcome as a future for users: see {@link Callbacks#deliver}. */
    <T> CompletableFuture<T> async(Function<@Nullable HeldSet, T> result) {
        return client.callbacks().deliver(outcome, () -> {}, (held, failure) -> {}, result, this::giveUp);
    }
}
