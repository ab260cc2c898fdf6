package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A local queue in a test: the test feeds it events at moments of its choice, and reads what it wants done. The monotonic
 * clock begins a few seconds before it overflows, so that every test also shows that readings are compared by difference.
 */
final class LocalQueueHarness {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration STORE_TIMEOUT = Duration.ofSeconds(10);
    static final LockOptions DEFAULTS = LockOptions.defaults();
    static final LockOptions UNRENEWED = DEFAULTS.withAutoRenew(false);
    static final int HAND_OVERS = 3;

    private static final int HOT = 200;

    private final int share;
    private final QueueSettings settings;
    LocalQueue queue;
    final FirstContact contact = new FirstContact();
    final LeftLeases left = new LeftLeases();
    private final List<Action> todo = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 5_000_000_123L;
    private long wallMicros = 1_800_000_000_000_000L;
    private long tokens = 100;

    LocalQueueHarness() {
        this(Duration.ZERO);
    }

    /** A store whose requests may be on their way for some time after they were given up. */
    LocalQueueHarness(Duration horizon) {
        this(horizon, STORE_TIMEOUT);
    }

    LocalQueueHarness(Duration horizon, Duration storeTimeout) {
        this(Claim.EXCLUSIVE, horizon, storeTimeout);
    }

    private LocalQueueHarness(int share, Duration horizon, Duration storeTimeout) {
        AtomicLong claims = new AtomicLong();
        this.share = share;
        settings = new QueueSettings(
                "test:store",
                () -> new ClaimId("client", claims.incrementAndGet()),
                HAND_OVERS,
                storeTimeout,
                horizon,
                new Random(7),
                contact,
                left);
        queue = new LocalQueue("lock", share, settings);
    }

    /** Goes on with a new queue, as a client does when the old one is idle or has a fault. */
    void beginAnew() {
        todo.clear();
        queue = new LocalQueue("lock", share, settings);
    }

    static LocalQueueHarness sharing(int share) {
        return new LocalQueueHarness(share, Duration.ZERO, STORE_TIMEOUT);
    }

    // ---- time ----

    ClockReading now() {
        return new ClockReading(nanos, wallMicros);
    }

    /** Lets time pass as the runner would: wakes the queue whenever it has asked to be looked at. */
    void pass(Duration duration) {
        long target = nanos + duration.toNanos();
        int wakes = 0;
        for (long due = queue.nextDue(); due != DueTimes.NEVER && due - target <= 0; due = queue.nextDue()) {
            if (due - nanos > 0) {
                moveTo(due);
                wakes = 0;
            }
            assertThat(++wakes).as("wake-ups at one moment").isLessThan(HOT);
            send(new Event.Wake());
        }
        moveTo(target);
    }

    void passToNextDue() {
        pass(Duration.ofNanos(queue.nextDue() - nanos));
    }

    /** Lets time pass without anybody at work: the process is stopped. */
    void stopFor(Duration duration) {
        moveTo(nanos + duration.toNanos());
    }

    /** Lets the machine sleep: only the wall clock goes on. */
    void suspend(Duration duration) {
        wallMicros += duration.toNanos() / 1000;
    }

    private void moveTo(long target) {
        wallMicros += (target - nanos) / 1000;
        nanos = target;
    }

    // ---- events ----

    LocalQueueHarness send(Event event) {
        todo.addAll(queue.on(event, now()));
        return this;
    }

    Caller joins() {
        return joins(DEFAULTS);
    }

    Caller joins(LockOptions options) {
        return joins(new Caller(options, false, null));
    }

    Caller tries() {
        return joins(new Caller(DEFAULTS, true, null));
    }

    Caller joins(Caller caller) {
        send(new Event.Join(caller));
        return caller;
    }

    void leaves(Caller caller) {
        send(new Event.Leave(caller));
    }

    void waitIsOver(Caller caller) {
        send(new Event.WaitOver(caller));
    }

    void close() {
        send(new Event.Close());
    }

    void abandon() {
        send(new Event.Abandon());
    }

    void look() {
        send(new Event.Look());
    }

    /** Lets the holder end its hold. */
    void ends(Hold hold) {
        hold.end(now());
        send(new Event.EndHold(hold));
    }

    Extension extend(Hold hold, Duration duration) {
        Extension extension = new Extension(duration);
        send(new Event.Extend(hold, extension));
        return extension;
    }

    LeaseId grants(Claim claim) {
        return grants(claim, claim.lease(), now());
    }

    LeaseId grants(Claim claim, Duration left, ClockReading sentAt) {
        LeaseId lease = newLease(claim);
        answers(claim, new ClaimAnswer.Granted(lease, claim.spare(), Validity.of(sentAt, left)));
        return lease;
    }

    LeaseId grants(Claim claim, int slot) {
        LeaseId lease = newLease(claim);
        answers(claim, new ClaimAnswer.Granted(lease, 0, slot, Validity.of(now(), claim.lease())));
        return lease;
    }

    LeaseId newLease(Claim claim) {
        LeaseId lease = new LeaseId("lock", claim.id(), tokens);
        tokens += 1 + claim.spare();
        return lease;
    }

    void busy(Claim claim) {
        busy(claim, Duration.ofSeconds(20), claim.enqueue() ? 1 : 0);
    }

    void busy(Claim claim, Duration left, int place) {
        answers(claim, new ClaimAnswer.Busy(null, left, place));
    }

    void answers(Claim claim, ClaimAnswer answer) {
        send(new Event.ClaimAnswered(claim.id(), answer));
    }

    void claimFails(Claim claim, Outcome outcome) {
        send(new Event.ClaimFailed(claim.id(), down(outcome)));
    }

    /** The store says when it will serve again. */
    void claimFails(Claim claim, Duration backIn) {
        send(new Event.ClaimFailed(
                claim.id(),
                new StoreUnavailableException(
                        "no votes", "test:node", Outcome.NOT_CARRIED_OUT, List.of(), backIn, null)));
    }

    /** The store is down, and says so. */
    void claimIsInVain(Claim claim) {
        send(new Event.ClaimFailed(
                claim.id(),
                new StoreUnavailableException(
                        "all down", "test:node", Outcome.NOT_CARRIED_OUT, List.of(), null, true, null)));
    }

    void pushes(LeaseId lease, int spare, Duration left) {
        send(new Event.GrantSignal(
                new dev.leasehold.spi.Grant(lease, spare), left == null ? null : Validity.of(now(), left)));
    }

    void renewed(LeaseId lease, Duration left) {
        renewed(lease, left, now());
    }

    void renewed(LeaseId lease, Duration left, ClockReading sentAt) {
        renewed(lease, left, sentAt, sentAt.nanos());
    }

    void renewed(LeaseId lease, Duration left, ClockReading sentAt, long askedAt) {
        send(new Event.RenewAnswered(lease, new RenewAnswer.Renewed(Validity.of(sentAt, left)), askedAt));
    }

    void storeSaysLost(LeaseId lease) {
        send(new Event.RenewAnswered(lease, new RenewAnswer.Lost(), now().nanos()));
    }

    void released(LeaseId lease) {
        send(new Event.ReleaseAnswered(lease, ReleaseAnswer.RELEASED));
    }

    void wasNotHeld(LeaseId lease) {
        send(new Event.ReleaseAnswered(lease, ReleaseAnswer.NOT_HELD));
    }

    void releaseFails(LeaseId lease) {
        send(new Event.CleanupFailed(lease.claim(), lease, down(Outcome.UNKNOWN)));
    }

    void withdrawn(ClaimId claim) {
        send(new Event.WithdrawAnswered(claim));
    }

    void withdrawalFails(ClaimId claim) {
        send(new Event.CleanupFailed(claim, null, down(Outcome.UNKNOWN)));
    }

    static LockException down(Outcome outcome) {
        return new StoreUnavailableException("down", "test:node", outcome, null);
    }

    // ---- actions ----

    /** Takes all actions of a kind out. */
    <A extends Action> List<A> all(Class<A> kind) {
        List<A> taken = new ArrayList<>();
        for (Iterator<Action> actions = todo.iterator(); actions.hasNext(); ) {
            Action action = actions.next();
            if (kind.isInstance(action)) {
                taken.add(kind.cast(action));
                actions.remove();
            }
        }
        return taken;
    }

    /** Takes the one action of a kind out. */
    <A extends Action> A one(Class<A> kind) {
        List<Action> before = List.copyOf(todo);
        List<A> taken = all(kind);
        assertThat(taken).as("%s among %s", kind.getSimpleName(), before).hasSize(1);
        return taken.get(0);
    }

    boolean has(Class<? extends Action> kind) {
        return todo.stream().anyMatch(kind::isInstance);
    }

    void none(Class<? extends Action> kind) {
        assertThat(all(kind)).as(kind.getSimpleName()).isEmpty();
    }

    Claim claim() {
        return one(Action.SendClaim.class).claim();
    }

    Hold given(Caller caller) {
        Action.Give give = one(Action.Give.class);
        assertThat(give.caller()).isSameAs(caller);
        return give.hold();
    }

    void refused(Caller caller) {
        assertThat(one(Action.Refuse.class).caller()).isSameAs(caller);
    }

    RuntimeException failed(Caller caller) {
        Action.Fail fail = one(Action.Fail.class);
        assertThat(fail.caller()).isSameAs(caller);
        return fail.failure();
    }

    LeaseId release() {
        return one(Action.SendRelease.class).lease();
    }

    ClaimId withdrawal() {
        return one(Action.SendWithdraw.class).claim();
    }

    Action.SendRenew renewal() {
        return one(Action.SendRenew.class);
    }

    /** Throws away what was not read. */
    void forget() {
        todo.clear();
    }

    /** Goes the way to a hold that most tests begin with. */
    Hold held(LockOptions options) {
        Caller caller = joins(options);
        grants(claim());
        return given(caller);
    }

    Hold held() {
        return held(DEFAULTS);
    }

    void isIdle() {
        assertThat(queue.isIdle()).as("idle").isTrue();
        assertThat(queue.nextDue()).isEqualTo(DueTimes.NEVER);
    }
}
