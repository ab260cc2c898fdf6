package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** These tests are about many leases of one lock: an event has to do with those that it names, and no due one is forgotten. */
class LocalQueueManyLeasesTest {

    private static final int MANY = 40;

    private final LocalQueueHarness readers = LocalQueueHarness.sharing(Claim.UNLIMITED);
    private final List<Hold> holds = new ArrayList<>();
    private final List<LeaseId> leases = new ArrayList<>();

    /** Has many readers hold the lock, each since another moment. */
    private void hold(Duration apart) {
        for (int i = 0; i < MANY; i++) {
            Caller caller = readers.joins();
            leases.add(readers.grants(readers.claim()));
            holds.add(readers.given(caller));
            readers.pass(apart);
        }
        readers.forget();
    }

    private List<LeaseState> states() {
        return holds.stream().map(hold -> hold.state(readers.now())).toList();
    }

    private List<LeaseId> renewals() {
        return readers.all(Action.SendRenew.class).stream()
                .map(Action.SendRenew::lease)
                .toList();
    }

    @Test
    void eachIsRenewedForAsLongAsItIsHeld() {
        hold(Duration.ofMillis(37));
        Map<LeaseId, Integer> count = new HashMap<>();
        for (int second = 0; second < 120; second++) {
            readers.pass(Duration.ofSeconds(1));
            for (LeaseId lease : renewals()) {
                count.merge(lease, 1, Integer::sum);
                readers.renewed(lease, LEASE);
            }
        }
        assertThat(states()).containsOnly(LeaseState.HELD);
        assertThat(count).hasSize(MANY);
        assertThat(count.values()).allMatch(renewed -> renewed >= 11 && renewed <= 13);
    }

    @Test
    void eachIsLostAtItsOwnDeadline() {
        hold(Duration.ofMillis(100));
        int lost = 0;
        for (Duration passed = Duration.ZERO; passed.compareTo(LEASE) < 0; passed = passed.plusMillis(50)) {
            readers.pass(Duration.ofMillis(50));
            List<Action.Settle> ends = readers.all(Action.Settle.class);
            assertThat(ends).hasSizeLessThan(2);
            lost += ends.size();
        }
        assertThat(lost).isEqualTo(MANY);
        assertThat(states()).containsOnly(LeaseState.LOST);
    }

    @Test
    void anExtensionOfOneIsRepeatedBeforeOthersAreDue() {
        hold(Duration.ZERO);
        readers.extend(holds.get(7), LEASE);
        LeaseId lease = readers.renewal().lease();
        readers.pass(Duration.ofSeconds(1));
        assertThat(renewals()).isNotEmpty().containsOnly(lease);
    }

    @Test
    void oneThatTheStoreHasLostIsLostOnce() {
        hold(Duration.ZERO);
        readers.storeSaysLost(leases.get(7));
        readers.one(Action.Settle.class);
        readers.none(Action.SendRelease.class);
        assertThat(holds.get(7).loss.why()).contains("has it no more");
    }

    /** To count who holds the lock asks all for their state, which begins their doubt. */
    @Test
    void aFullLockInDoubtIsAskedForAtOnce() {
        LocalQueueHarness permits = full(3);
        permits.suspend(Duration.ofSeconds(4));
        permits.refused(permits.tries());
        assertThat(permits.all(Action.SendRenew.class)).hasSize(3);
    }

    @Test
    void aPermitThatHasEndedIsGivenBackBeforeAClaim() {
        LocalQueueHarness permits = full(3);
        holds.get(1).end(permits.now());
        permits.tries();
        permits.none(Action.SendClaim.class);
        permits.released(permits.release());
        permits.claim();
    }

    /** Has callers hold all permits, since the same moment. */
    private LocalQueueHarness full(int count) {
        LocalQueueHarness permits = LocalQueueHarness.sharing(count);
        for (int i = 0; i < count; i++) {
            Caller caller = permits.joins();
            permits.grants(permits.claim(), i);
            holds.add(permits.given(caller));
        }
        permits.forget();
        return permits;
    }

    @Test
    void oneThatEndsIsGivenBackAtOnce() {
        hold(Duration.ZERO);
        readers.ends(holds.get(7));
        readers.release();
        readers.ends(holds.get(0));
        readers.release();
    }

    /** Whoever is looked at while the clocks differ is in doubt. */
    @Test
    void anEventOfOneHasToDoWithNoOther() {
        hold(Duration.ZERO);
        readers.suspend(Duration.ofMinutes(1));
        readers.extend(holds.get(7), LEASE);
        readers.renewal();
        readers.look();
        assertThat(renewals()).hasSize(MANY - 1);
    }

    @Test
    void allAreConfirmedInDoubt() {
        hold(Duration.ZERO);
        readers.send(new Event.DoubtSignal(false));
        assertThat(renewals()).hasSize(MANY);
    }

    @Test
    void allAreToldWhenSomebodyBeginsAndCeasesToWait() {
        hold(Duration.ZERO);
        Caller caller = readers.joins();
        assertThat(readers.all(Action.Await.class)).hasSize(MANY);
        readers.busy(readers.claim());
        readers.none(Action.Await.class);
        readers.leaves(caller);
        assertThat(holds).noneMatch(Hold::isAwaited);
    }

    @Test
    void allAreGivenUpWhenTheClientIsClosed() {
        hold(Duration.ZERO);
        readers.close();
        readers.abandon();
        assertThat(readers.all(Action.Abandon.class)).hasSize(MANY);
        assertThat(readers.queue.nextDue()).isEqualTo(DueTimes.NEVER);
    }
}
