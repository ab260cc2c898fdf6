package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseSet;
import dev.leasehold.Leasehold;
import dev.leasehold.inspect.ClientDescription;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Sharing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** View rules concern prefixed views of a client, the look at one lock, and whether somebody waits. */
interface ViewRules extends LeaseholdRules {

    @Test
    default void aViewsLocksAreItsClientsWithAPrefix() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        Leasehold view = client.prefixed("eu").prefixed("tenant");
        try (Lease lease = view.lock(name).acquire()) {
            assertThat(lease.name()).isEqualTo(name);
            assertThat(view.lock(name).name()).isEqualTo(name);
            assertThat(client.lock("eu:tenant:" + name).tryAcquire()).isEmpty();
            assertThat(client.prefixed("eu").lock("tenant:" + name).tryAcquire())
                    .isEmpty();
            assertThat(client.lock(name).tryAcquire()).hasValueSatisfying(Lease::close);
            assertThat(client.prefixed("us").prefixed("tenant").lock(name).tryAcquire())
                    .hasValueSatisfying(Lease::close);
            assertThat(view.locks("*" + name.substring(1)))
                    .extracting(LockInfo::name)
                    .containsExactly(name);
            assertThat(client.info("eu:tenant:" + name)).isPresent();
            assertThat(view.breakLock(name, lease.token())).isTrue();
            ClientFixture.eventually("it is lost", () -> !lease.isValid());
        }
    }

    @Test
    default void closingAViewClosesNothing() throws Exception {
        Leasehold client = fixture().client();
        Leasehold view = client.prefixed("tenant");
        view.close();
        view.close(Duration.ZERO);
        assertThat(view.closeAsync()).isCompleted();
        view.lock(fixture().lock()).acquire().close();
        client.close();
        assertThatThrownBy(() -> view.lock("a")).isInstanceOf(IllegalStateException.class);
        view.close();
    }

    /** Names of a view mean the view's own locks also where locks are shared, or acquired together. */
    @Test
    default void sharedLocksAndSetsOfAViewAreItsOwn() throws Exception {
        Leasehold client = fixture().client();
        Leasehold view = client.prefixed("tenant");
        String name = fixture().lock();
        try (LeaseSet set = view.lockAll(name).acquire()) {
            assertThat(set.names()).containsExactly(name);
            assertThat(set.token(name)).isPositive();
            assertThat(client.lock("tenant:" + name).tryAcquire()).isEmpty();
            assertThat(client.lock(name).tryAcquire()).isPresent().hasValueSatisfying(Lease::close);
        }
        Sharing sharing = fixture().probe().store.sharing();
        if (sharing.includes(2)) {
            try (Lease permit = view.semaphore(name, 2).acquire()) {
                assertThat(permit.name()).isEqualTo(name);
                assertThat(client.lock("tenant:" + name).tryAcquire()).isEmpty();
                assertThat(client.info("tenant:" + name)).isPresent();
            }
        }
        if (sharing.includes(Claim.UNLIMITED)) {
            try (Lease reader = view.readWriteLock(name).read().acquire()) {
                assertThat(reader.name()).isEqualTo(name);
                assertThat(client.readWriteLock("tenant:" + name).write().tryAcquire())
                        .isEmpty();
            }
        }
    }

    @Test
    default void oneLockIsShownByItsName() throws Exception {
        String name = fixture().lock() + "*?\\";
        Leasehold client = fixture().client(builder -> builder.label("the holder"));
        assertThat(client.info(name)).isEmpty();
        try (Lease lease = client.lock(name).acquire();
                Lease other = client.lock(name + "x").acquire()) {
            assertThat(other.isValid()).isTrue();
            LockInfo info = client.info(name).orElseThrow();
            assertThat(info.name()).isEqualTo(name);
            ClientDescription holder =
                    StoreClient.present("the holder", info.holder()).client();
            assertThat(holder.label()).isEqualTo("the holder");
            assertThat(holder.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(holder.host()).isNotEmpty();
            assertThat(lease.isValid()).isTrue();
        }
        ClientFixture.eventually("it is gone", () -> isGone(client, name));
    }

    private static boolean isGone(Leasehold client, String name) {
        try {
            return client.info(name).isEmpty();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    default void whoWaitsIsShownByTheParts() throws Exception {
        String name = fixture().lock();
        try (Lease lease = fixture().client().lock(name).acquire()) {
            CompletableFuture<Lease> waiting = fixture()
                    .client(builder -> builder.label("the waiter"))
                    .lock(name)
                    .acquireAsync();
            StoreClient elsewhere = fixture().probe();
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            LockInfo info = fixture().client().info(name).orElseThrow();
            assertThat(info.waiters())
                    .singleElement()
                    .satisfies(waiter -> assertThat(waiter.client().label()).isEqualTo("the waiter"));
            waiting.cancel(true);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    default void aHolderKnowsThatAnotherCallerOfItsProcessWaits() throws Exception {
        Leasehold client = fixture().client();
        String name = fixture().lock();
        Lease lease = client.lock(name).acquire();
        assertThat(lease.isContended()).isFalse();
        CompletableFuture<Lease> waiting = client.lock(name).acquireAsync();
        ClientFixture.eventually("it is wanted", lease::isContended);
        waiting.cancel(true);
        ClientFixture.eventually("it is not wanted any more", () -> !lease.isContended());
        lease.close();
        assertThat(lease.isContended()).isFalse();
    }
}
