package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Closing rules say that a closed store says so, and leases that it held run out as after a crash. */
interface ClosingRules extends StoreRules {

    @Test
    default void closingTwiceIsHarmless() {
        StoreClient client = fixture().client();
        client.acquire(fixture().lock());
        client.close();
        client.close();
    }

    @Test
    default void aStoreThatWasNeverUsedCanBeClosed() {
        fixture().client().close();
    }

    @Test
    @DisplayName("Opening draws no client id so that one snapshot becomes two clients")
    default void openingDrawsNoClientId() {
        fixture().openWithoutId().close();
    }

    @Test
    default void operationsAfterClosingFailAndNeverHang() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        LeaseId lease = client.acquire(lock).lease();
        client.close();
        assertThatThrownBy(() -> client.acquire(lock)).isInstanceOf(LockException.class);
        assertThatThrownBy(() -> client.has(lease)).isInstanceOf(LockException.class);
        assertThatThrownBy(() -> client.release(lease)).isInstanceOf(LockException.class);
        assertThatThrownBy(() -> client.withdraw(client.newClaim(lock, StoreClient.LONG, true)))
                .isInstanceOf(LockException.class);
        assertThatThrownBy(() -> client.inspect("*")).isInstanceOf(LockException.class);
        assertThatThrownBy(() -> client.breakLease(lock, lease.token())).isInstanceOf(LockException.class);
    }

    @Test
    default void whatAClosedClientHeldRunsOut() {
        String lock = fixture().lock();
        StoreClient client = fixture().client();
        client.acquire(lock, StoreClient.SHORT);
        client.close();
        StoreClient other = fixture().client();
        fixture().eventually("the lease has run out", () -> other.finds(lock));
    }

    @Test
    default void closingOneClientDoesNotDisturbAnother() {
        String lock = fixture().lock();
        StoreClient one = fixture().client();
        StoreClient other = fixture().client();
        LeaseId lease = other.acquire(lock).lease();
        one.busy(one.newClaim(lock, StoreClient.LONG, true));
        one.close();
        assertThat(other.has(lease)).isTrue();
        other.release(lease);
    }
}
