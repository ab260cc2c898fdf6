package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.redis.RedlockFixture;
import dev.leasehold.redis.RedlockStore;
import dev.leasehold.testtools.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about leases of a quorum that are lost, and those that are not, in real time on real servers. */
@Tag("slow")
class RedlockLossTest {

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final String KEY = "leasehold:{x}";
    /** A lease that is neither renewed nor over while a test waits. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private RedlockFixture fixture;

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void open(int count) {
        fixture = RedlockFixture.opened(count);
    }

    @Test
    void aLeaseThatAMajorityNoLongerHasIsLostAtTheNextLook() throws Exception {
        open(3);
        Lease lease = fixture.client().lock("x").acquire();
        fixture.server(0).commands().del(KEY);
        lease.extend(Duration.ofSeconds(15));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        fixture.server(1).commands().del(KEY);
        fixture.server(2).commands().del(KEY);
        fixture.server(0).commands().del(KEY);
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(20))).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aLostLeaseIsRemovedFromNodesThatStillHaveIt() throws Exception {
        fixture = RedlockFixture.opened(3, LONG);
        Leasehold client = fixture.client(fixture.store, LONG);
        Lease lease = client.lock("x").acquire();
        fixture.awaitHeldEverywhere("x");
        fixture.server(0).commands().del(KEY);
        fixture.server(1).commands().del(KEY);
        assertThatThrownBy(() -> lease.extend(LONG)).isInstanceOf(LeaseLostException.class);
        await().until(() -> fixture.server(2).commands().exists(KEY) == 0);
    }

    @Test
    void aBrokenLockIsToldToItsHolder() throws Exception {
        open(3);
        Leasehold holder = fixture.client();
        CompletableFuture<Lease> none = holder.lock("y").acquireAsync();
        none.get(A_MINUTE, TimeUnit.SECONDS);
        Lease lease = holder.lock("x").acquire();
        Leasehold other = fixture.client();
        assertThat(other.locks("x")).hasSize(1);
        assertThat(other.breakLock("x", lease.token() - 1)).isFalse();
        assertThat(other.breakLock("x", lease.token())).isTrue();
        Lease next = other.lock("x").acquire();
        assertThat(next.token()).isGreaterThan(lease.token());
        await().until(() -> lease.state() == LeaseState.LOST);
    }

    @Test
    void aHolderWithoutAMajorityHearsOfTheLossInTime() throws Exception {
        open(3);
        Leasehold holder = fixture.client(fixture.proxied(), SHORT);
        Lease lease = holder.lock("x").acquire();
        fixture.proxies.get(0).blackHole();
        lease.extend(SHORT);
        CompletableFuture<Lease> waiting =
                fixture.client(fixture.store, SHORT).lock("x").acquireAsync();
        fixture.proxies.get(1).blackHole();
        RedlockFixture.awaitLossWithin(lease, SHORT);
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
        assertThatThrownBy(() -> lease.extend(SHORT)).isInstanceOf(LockException.class);
    }

    @Test
    void renewalsWhoseAnswersAreLostAreNoLoss() throws Exception {
        open(3);
        Lease lease = fixture.client(fixture.proxied(), Duration.ofSeconds(4))
                .lock("x")
                .acquire();
        for (int i = 0; i < 3; i++) {
            fixture.proxies.forEach(FaultProxy::cut);
            lease.extend(Duration.ofSeconds(5));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        }
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        fixture.awaitNothingLeft("x", 3);
    }

    @Test
    void clientsThatSeeDifferentNodesDoNotBothHold() throws Exception {
        open(3);
        RedlockStore left = fixture.proxied();
        List<FaultProxy> ofLeft = List.copyOf(fixture.proxies);
        fixture.proxies.clear();
        RedlockStore right = fixture.proxied();
        List<FaultProxy> ofRight = List.copyOf(fixture.proxies);
        fixture.proxies.addAll(ofLeft);
        Leasehold one = fixture.client(left, SHORT);
        Leasehold two = fixture.client(right, SHORT);
        one.lock("warm").acquire().close();
        two.lock("warm").acquire().close();
        ofLeft.get(2).blackHole();
        ofRight.get(0).blackHole();
        Lease first = one.lock("x").acquire();
        CompletableFuture<Lease> second = two.lock("x").acquireAsync();
        AtomicInteger both = new AtomicInteger();
        second.whenComplete((lease, failure) -> both.addAndGet(first.isValid() ? 1 : 0));
        // The first has a majority no longer: one node of it stays, and the two others are the second's to have.
        await().pollDelay(Duration.ofMillis(300)).until(() -> first.isValid() && !second.isDone());
        ofLeft.get(1).blackHole();
        RedlockFixture.awaitLossWithin(first, SHORT);
        Lease next = second.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(both).hasValue(0);
    }
}
