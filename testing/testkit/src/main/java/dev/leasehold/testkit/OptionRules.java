package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Option rules are those of {@link dev.leasehold.LockOptions}: how a lock is held. */
interface OptionRules extends LeaseholdRules {

    @Test
    @DisplayName("A lock stays taken for at least the time asked for, however soon it is released")
    default void minHoldHoldsHoweverSoonTheLockIsReleased() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        Duration minHold = Duration.ofMillis(500);
        Leasehold client = fixture().client();
        long start = System.nanoTime();
        Lease lease =
                client.lock(name, ClientFixture.OPTIONS.withMinHold(minHold)).acquire();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        Optional<Lease> early = client.lock(name).tryAcquire();
        if (early.isPresent()) {
            early.get().close();
        } else {
            ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
        }
        // Up to the hundredth by which a client's clock may be faster than the store's.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(minHold.minusMillis(10));
    }

    @Test
    @DisplayName("Nobody is served before minHold is over not even in the same process")
    default void nobodyIsServedBeforeMinHoldIsOver() throws Exception {
        String name = fixture().lock();
        Duration minHold = Duration.ofMillis(500);
        Leasehold client = fixture().client();
        long start = System.nanoTime();
        Lease lease =
                client.lock(name, ClientFixture.OPTIONS.withMinHold(minHold)).acquire();
        var next = client.lock(name).acquireAsync();
        lease.close();
        ClientFixture.get(next).close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(minHold.minusMillis(10));
    }

    /** The rule is left out where leases hang on a session, because they end with it. */
    @Test
    @DisplayName("A lock stays taken for at least the time asked for, though its holder dies at once")
    default void minHoldHoldsThoughTheHolderDiesAtOnce() throws Exception {
        StoreClient elsewhere = fixture().probe();
        assumeThat(elsewhere.store.closingEndsLeases()).isFalse();
        String name = fixture().lock();
        Duration minHold = Duration.ofMillis(1_500);
        long start = System.nanoTime();
        Lease lease = fixture()
                .client()
                .lock(name, ClientFixture.BRIEF.withMinHold(minHold))
                .acquire();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        ClientFixture.eventually("it has run out", () -> elsewhere.finds(name));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(minHold.minusMillis(20));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    default void aHoldThatWasLongerThanMinHoldIsFreeAtOnce() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture()
                .client()
                .lock(name, ClientFixture.OPTIONS.withMinHold(Duration.ofMillis(20)))
                .acquire();
        ClientFixture.pause(Duration.ofMillis(30));
        lease.release();
        assertThat(fixture().probe().shows(name)).isFalse();
    }

    @Test
    default void aHoldIsNotRenewedBeyondItsLongest() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture()
                .client()
                .lock(name, ClientFixture.BRIEF.withMaxHold(Duration.ofMillis(900)))
                .acquire();
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it has run out", () -> elsewhere.finds(name));
    }

    @Test
    default void withoutRenewalAHoldEndsWithItsLease() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture()
                .client()
                .lock(name, ClientFixture.BRIEF.withAutoRenew(false))
                .acquire();
        assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it has run out", () -> elsewhere.finds(name));
    }

    @Test
    default void withoutRenewalAHolderMayExtendItsLease() throws Exception {
        try (Lease lease = fixture()
                .client()
                .lock(fixture().lock(), ClientFixture.OPTIONS.withAutoRenew(false))
                .acquire()) {
            assertThat(lease.extend(Duration.ofMinutes(1))).isGreaterThan(Duration.ofSeconds(30));
        }
    }

    @Test
    default void namespacesKeepTheLocksOfOneStoreApart() throws Exception {
        String name = fixture().lock();
        Leasehold one = fixture().client(builder -> builder.namespace("one"));
        Leasehold other = fixture().client(builder -> builder.namespace("other"));
        Lease lease = one.lock(name).acquire();
        Lease theirs = other.lock(name).acquire();
        assertThat(fixture()
                        .client(builder -> builder.namespace("one"))
                        .lock(name)
                        .tryAcquire())
                .isEmpty();
        assertThat(other.breakLock(name, lease.token())).isFalse();
        assertThat(lease.isValid()).isTrue();
        assertThat(theirs.isValid()).isTrue();
    }

    @Test
    default void veryLongLeasesAreHeldAndReleased() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        Duration longest = fixture().probe().store.maxLease();
        Duration lease = longest.compareTo(LockOptions.FOREVER) < 0 ? longest : LockOptions.FOREVER;
        LockOptions options = LockOptions.defaults().withLeaseDuration(lease).withMaxHold(LockOptions.FOREVER);
        assertThat(client.lock(name, options).acquire().release()).isEqualTo(LeaseState.RELEASED);
    }
}
