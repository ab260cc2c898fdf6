package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.RenewAnswer.Renewed;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

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
        this.far = proxied.open(context("far"));
        this.near = direct.open(context("near"));
    }

    private StoreContext context(String id) {
        return new StoreContext(id, id, "", time, Duration.ofSeconds(20), new NoSignals());
    }

    /**
     * Requires that no lease is believed in beyond the server's end of it: after a first claim, a renewal, the same claim
     * again, and a later claim.
     *
     * @param share the share of the claims
     */
    public void neverExceedTheServersEnd(int share) {
        StoreClient.get(near.inspect(NamePattern.of(lock)));
        StoreClient.get(far.inspect(NamePattern.of(lock)));
        proxy.delay(LATE);
        ClaimId first = newId();
        LeaseId held = claim("a first claim", first, share);
        renew("a renewal", held);
        renew("another renewal", held);
        claim("the same claim again", first, share);
        StoreClient.get(far.release(held, Duration.ZERO));
        claim("a later claim", newId(), share);
    }

    private ClaimId newId() {
        return new ClaimId("far", ++claims);
    }

    private LeaseId claim(String what, ClaimId id, int share) {
        Granted granted = (Granted) StoreClient.get(far.claim(new Claim(id, lock, share, LEASE, false)));
        doesNotExceed(what, granted.validity());
        return granted.lease();
    }

    private void renew(String what, LeaseId lease) {
        Renewed renewed = (Renewed) StoreClient.get(far.renew(lease, LEASE));
        doesNotExceed(what, renewed.validity());
    }

    private void doesNotExceed(String what, Validity validity) {
        List<LockInfo> found = StoreClient.get(near.inspect(NamePattern.of(lock)));
        long now = time.nanos();
        assertThat(found).as(what).hasSize(1);
        Duration left = StoreClient.present(
                what, StoreClient.present(what, found.get(0).holder()).timeLeft());
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
}
