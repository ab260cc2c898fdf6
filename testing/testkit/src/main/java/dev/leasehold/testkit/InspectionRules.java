package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Trial;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Inspection rules say that a client shows the locks of the store, and lets an operator intervene. */
interface InspectionRules extends LeaseholdRules {

    @Test
    default void holdersAndWaitersAreShownByTheLabelsOfTheirClients() throws Exception {
        String name = fixture().lock();
        Lease lease = fixture()
                .client(builder -> builder.label("the holder"))
                .lock(name)
                .acquire();
        var waiting = fixture()
                .client(builder -> builder.label("the waiter"))
                .lock(name)
                .acquireAsync();
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        List<LockInfo> locks = fixture().client().locks(StoreClient.literally(name));
        assertThat(locks).singleElement().satisfies(info -> {
            assertThat(StoreClient.present("the holder", info.holder()).owner()).contains("the holder");
            assertThat(info.waiters())
                    .singleElement()
                    .satisfies(waiter -> assertThat(waiter.owner()).contains("the waiter"));
        });
        waiting.cancel(true);
        lease.close();
    }

    @Test
    default void aCheckTakesNothingAndFailsWhereTheStoreDoes() throws Exception {
        Leasehold client = fixture().clientWithShortTimeout();
        fixture().client().check();
        assertThat(fixture().probe().shows(Trial.LOCK)).isFalse();
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        assertThatThrownBy(client::check)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(fixture().store.toString());
        fixture().store.plan(FaultPlan.always(Fault.REFUSE));
        assertThatThrownBy(client::check).isInstanceOf(LockException.class);
    }

    @Test
    default void theTokenOfAHoldIsWithinTheRunThatIsShown() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        Lease first = client.lock(name).acquire();
        var waiting = client.lock(name).acquireAsync();
        first.close();
        Lease second = ClientFixture.get(waiting);
        long shown = fixture().probe().holder(name).token();
        assertThat(second.token()).isBetween(shown, shown + 64);
        assertThat(fixture().client().breakLock(name, second.token())).isTrue();
        ClientFixture.eventually("it is lost", () -> !second.isValid());
    }

    @Test
    @DisplayName("Breaking a lock that is not held under that token does nothing")
    default void breakingUnderAnotherTokenDoesNothing() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        try (Lease lease = client.lock(name).acquire()) {
            assertThat(client.breakLock(name, lease.token() - 1)).isFalse();
            assertThat(client.breakLock(name, Long.MAX_VALUE)).isFalse();
            assertThat(client.breakLock(fixture().lock(), lease.token())).isFalse();
            lease.ensureValid();
        }
    }

    @Test
    default void anUnreachableStoreIsAFailure() {
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        Leasehold client = fixture().clientWithShortTimeout();
        assertThatThrownBy(() -> client.locks("*")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> client.breakLock("x", 1)).isInstanceOf(StoreUnavailableException.class);
    }
}
