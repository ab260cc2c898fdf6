package dev.leasehold.testtools;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Busy;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.RenewAnswer.Renewed;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Late answers are those of a real server that a {@link FaultProxy} delays on the way: what they say of a lease must not be
 * more than the server grants. A store that reads its clock when the answer comes believes in a lease for longer than the
 * server does, by as much as the answer was late.
 *
 * <p>The two ends are compared on this machine's monotonic clock. The server's is what it says is left, at a time that lies
 * between asking and the answer; by counting from the answer, this never blames a store that is right, however slow the machine is.
 */
public final class LateAnswers implements AutoCloseable {

    private static final Duration LATE = Duration.ofMillis(150);
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final FaultProxy proxy;
    private final RealTime time = new RealTime();
    private final Store far;
    private final Store near;
    private final String lock = "late-" + UUID.randomUUID();
    private final CompletableFuture<Validity> handedOver = new CompletableFuture<>();
    private long claims;

    /**
     * Opens two stores on one server.
     *
     * @param proxy stands before the server
     * @param proxied makes the store that reaches the server through the proxy alone
     * @param direct makes the one that reaches it without
     */
    public LateAnswers(FaultProxy proxy, StoreFactory proxied, StoreFactory direct) {
        this.proxy = proxy;
        this.far = proxied.open(context("far", new HandOvers()));
        this.near = direct.open(context("near", new NoSignals()));
    }

    private StoreContext context(String id, Signals signals) {
        return new StoreContext(id, id, "", time, Duration.ofSeconds(20), signals);
    }

    /** These signals note until when a lease may be relied on that was handed over. */
    private final class HandOvers implements Signals {
        @Override
        public void granted(Grant grant, @Nullable Validity validity) {
            if (validity != null) {
                handedOver.complete(validity);
            }
        }

        @Override
        public void doubt(@Nullable String lock) {}
    }

    private void connect() {
        get(near.inspect(NamePattern.of(lock)));
        get(far.inspect(NamePattern.of(lock)));
    }

    /**
     * Requires that no lease is believed in beyond the server's end of it: after a first claim, a renewal, the same claim
     * again, and a later claim.
     *
     * @param share the share of the claims
     */
    public void neverExceedTheServersEnd(int share) {
        connect();
        proxy.delay(LATE);
        ClaimId first = newId();
        LeaseId held = claim("a first claim", first, share);
        renew("a renewal", held);
        renew("another renewal", held);
        claim("the same claim again", first, share);
        get(far.release(held, Duration.ZERO));
        claim("a later claim", newId(), share);
    }

    /**
     * Requires the same of renewals of several locks that are asked for at once, while the answer to an earlier request is
     * held back. A store with one connection gathers them meanwhile.
     *
     * @param share the share of the claims
     */
    public void neverExceedItWhenRenewedTogether(int share) {
        connect();
        List<LeaseId> held =
                List.of(claim("a claim", newId(), share, lock), claim("another claim", newId(), share, lock + "-too"));
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletionStage<?> earlier = far.inspect(NamePattern.of(lock));
        List<CompletionStage<RenewAnswer>> renewals =
                held.stream().map(lease -> far.renew(lease, LEASE)).toList();
        proxy.delay(LATE);
        proxy.letGo();
        get(earlier);
        for (int i = 0; i < held.size(); i++) {
            Renewed renewed = (Renewed) get(renewals.get(i));
            doesNotExceed("a renewal of several", held.get(i).lock(), renewed.validity());
        }
    }

    /**
     * Requires the same of a lease that was handed over, where the store looks who has the lock and says until when it may be
     * relied on.
     */
    public void neverExceedItWhenHandedOver() {
        connect();
        Granted before = (Granted) get(near.claim(new Claim(new ClaimId("near", 1), lock, LEASE, 0, false)));
        assertThat(get(far.claim(new Claim(newId(), lock, LEASE, 0, true)))).isInstanceOf(Busy.class);
        proxy.delay(LATE);
        get(near.release(before.lease(), Duration.ZERO));
        doesNotExceed("a hand-over", lock, get(handedOver));
    }

    private ClaimId newId() {
        return new ClaimId("far", ++claims);
    }

    private LeaseId claim(String what, ClaimId id, int share) {
        return claim(what, id, share, lock);
    }

    private LeaseId claim(String what, ClaimId id, int share, String name) {
        Granted granted = (Granted) get(far.claim(new Claim(id, name, share, LEASE, false)));
        doesNotExceed(what, name, granted.validity());
        return granted.lease();
    }

    private void renew(String what, LeaseId lease) {
        Renewed renewed = (Renewed) get(far.renew(lease, LEASE));
        doesNotExceed(what, lock, renewed.validity());
    }

    private void doesNotExceed(String what, String name, Validity validity) {
        List<LockInfo> found = get(near.inspect(NamePattern.of(name)));
        long now = time.nanos();
        // A machine that was away for seconds finds nothing left.
        Duration left = found.isEmpty()
                ? Duration.ZERO
                : Objects.requireNonNull(
                        Objects.requireNonNull(found.get(0).holder(), what).timeLeft(), what);
        assertThat(Duration.ofNanos(validity.nanosLeft(now)))
                .as("what the client believes is left after " + what)
                .isLessThanOrEqualTo(left);
    }

    @Override
    public void close() {
        proxy.delay(Duration.ZERO);
        far.close();
        near.close();
        time.close();
    }

    private static <T> T get(CompletionStage<T> answer) {
        return answer.toCompletableFuture()
                .orTimeout(A_MINUTE, TimeUnit.SECONDS)
                .join();
    }
}
