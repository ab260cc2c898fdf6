package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockSet;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lock set rules concern several names at once: all or none, and nobody waits in a circle. */
interface LockSetRules extends LeaseholdRules {

    /** Returns names that sort as they stand here. */
    private List<String> names(int count) {
        String prefix = fixture().lock();
        return Stream.of("a", "b", "c", "d")
                .limit(count)
                .map(letter -> prefix + letter)
                .toList();
    }

    @Test
    default void aSetHoldsAllItsNames() throws Exception {
        List<String> names = names(3);
        StoreClient probe = fixture().probe();
        LockSet set = fixture().client().lockAll(names.get(2), names.get(0)).exclusive(names.get(1), names.get(0));
        assertThat(set.names()).isEqualTo(names);
        LeaseSet leases = set.acquire();
        assertThat(leases.isValid()).isTrue();
        assertThat(leases.names()).isEqualTo(names);
        assertThat(leases.remaining()).isPositive();
        leases.ensureValid();
        for (String name : names) {
            assertThat(probe.holder(name).token()).isEqualTo(leases.token(name));
        }
        assertThat(set.tryAcquire()).isEmpty();
        assertThat(leases.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(ClientFixture.get(leases.ended().toCompletableFuture())).isEqualTo(LeaseState.RELEASED);
        ClientFixture.eventually("all are free", () -> names.stream().noneMatch(probe::shows));
    }

    @Test
    default void aSetThatIsBusyKeepsNothing() throws Exception {
        List<String> names = names(3);
        StoreClient probe = fixture().probe();
        probe.acquire(names.get(1));
        LockSet set = fixture().client().lockAll(names.toArray(String[]::new));
        assertThat(set.tryAcquire()).isEmpty();
        assertThat(set.tryAcquire(Duration.ofMillis(300))).isEmpty();
        ClientFixture.eventually(
                "nothing is left",
                () -> !probe.shows(names.get(0))
                        && !probe.shows(names.get(2))
                        && probe.waiters(names.get(1)).isEmpty());
    }

    @Test
    default void onlyAPrefixIsHeldWhileASetWaits() throws Exception {
        List<String> names = names(4);
        StoreClient probe = fixture().probe();
        LeaseId second = probe.acquire(names.get(1)).lease();
        CompletableFuture<LeaseSet> waiting =
                fixture().client().lockAll(names.toArray(String[]::new)).acquireAsync();
        ClientFixture.eventually("it waits", () -> probe.waiters(names.get(1)).size() == 1);
        ClientFixture.eventually(
                "the first is held", () -> probe.holders(names.get(0)).size() == 1);
        ClientFixture.eventually("the rest is free", () -> probe.finds(names.get(2)) && probe.finds(names.get(3)));
        LeaseId third = probe.acquire(names.get(2)).lease();
        probe.release(second);
        ClientFixture.eventually(
                "it waits on", () -> probe.waiters(names.get(2)).size() == 1);
        ClientFixture.eventually(
                "the second is held", () -> probe.holders(names.get(1)).size() == 1);
        ClientFixture.eventually("the fourth is free again, after a try", () -> probe.finds(names.get(3)));
        probe.release(third);
        try (LeaseSet leases = ClientFixture.get(waiting)) {
            assertThat(leases.isValid()).isTrue();
        }
    }

    @Test
    default void aLossGivesBackWhatComesAfterIt() throws Exception {
        List<String> names = names(3);
        StoreClient probe = fixture().probe();
        LeaseId third = probe.acquire(names.get(2)).lease();
        CompletableFuture<LeaseSet> one =
                fixture().client().lockAll(names.toArray(String[]::new)).acquireAsync();
        ClientFixture.eventually("it waits", () -> probe.waiters(names.get(2)).size() == 1);
        CompletableFuture<LeaseSet> other =
                fixture().client().lockAll(names.get(1), names.get(0)).acquireAsync();
        ClientFixture.eventually(
                "the other waits", () -> probe.waiters(names.get(0)).size() == 1);
        probe.breakLease(names.get(0), probe.holder(names.get(0)).token());
        // The first is still kept from its last name, and must not keep the second name from the other meanwhile.
        try (LeaseSet leases = ClientFixture.get(other)) {
            assertThat(leases.isValid()).isTrue();
            assertThat(one).isNotDone();
        }
        probe.release(third);
        try (LeaseSet leases = ClientFixture.get(one)) {
            assertThat(leases.isValid()).isTrue();
        }
    }

    @Test
    default void setsInAnyOrderDoNotDeadlock() throws Exception {
        List<String> names = names(4);
        List<CompletableFuture<Integer>> workers = new ArrayList<>();
        for (int c = 0; c < 2; c++) {
            Leasehold client = fixture().client();
            for (int t = 0; t < 3; t++) {
                Random chance = new Random(10L * c + t);
                workers.add(fixture().inThread(() -> {
                    for (int n = 0; n < 6; n++) {
                        List<String> some = new ArrayList<>(names);
                        Collections.shuffle(some, chance);
                        String[] wanted = some.subList(0, 1 + chance.nextInt(4)).toArray(String[]::new);
                        if (wanted.length == 1) {
                            client.lock(wanted[0]).acquire().close();
                        } else {
                            client.lockAll(wanted).run(LeaseSet::ensureValid);
                        }
                    }
                    return 6;
                }));
            }
        }
        for (CompletableFuture<Integer> worker : workers) {
            assertThat(worker.get()).isEqualTo(6);
        }
    }

    @Test
    default void aLostLeaseIsNamed() throws Exception {
        List<String> names = names(2);
        StoreClient probe = fixture().probe();
        LeaseSet leases =
                fixture().client().lockAll(names.toArray(String[]::new)).acquire();
        assertThat(leases.lost()).isEmpty();
        probe.breakLease(names.get(1), leases.token(names.get(1)));
        assertThat(ClientFixture.get(leases.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
        assertThat(leases.state()).isEqualTo(LeaseState.LOST);
        assertThat(leases.isValid()).isFalse();
        assertThat(leases.remaining()).isZero();
        assertThat(leases.lost()).contains(names.get(1));
        assertThatThrownBy(leases::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(names.get(1));
        assertThat(probe.holders(names.get(0))).hasSize(1);
        assertThat(leases.release()).isEqualTo(LeaseState.LOST);
        ClientFixture.eventually("both are free", () -> names.stream().noneMatch(probe::shows));
    }

    @Test
    default void aBodyUnderALostSetFails() throws Exception {
        List<String> names = names(2);
        StoreClient probe = fixture().probe();
        LockSet set = fixture().client().lockAll(names.toArray(String[]::new));
        assertThatThrownBy(() -> set.run(leases -> {
                    probe.breakLease(names.get(0), leases.token(names.get(0)));
                    ClientFixture.eventually("it is lost", () -> !leases.isValid());
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(names.get(0));
        ClientFixture.eventually("both are free", () -> names.stream().noneMatch(probe::shows));
    }

    @Test
    default void aCancelledSetLeavesNothing() throws Exception {
        List<String> names = names(2);
        StoreClient probe = fixture().probe();
        LeaseId second = probe.acquire(names.get(1)).lease();
        CompletableFuture<LeaseSet> waiting =
                fixture().client().lockAll(names.toArray(String[]::new)).acquireAsync();
        ClientFixture.eventually("it waits", () -> probe.waiters(names.get(1)).size() == 1);
        waiting.cancel(false);
        ClientFixture.eventually(
                "it has gone",
                () -> !probe.shows(names.get(0)) && probe.waiters(names.get(1)).isEmpty());
        probe.release(second);
        CompletableFuture<LeaseSet> interrupted = fixture().inThread(() -> {
            probe.acquire(names.get(0));
            return fixture().client().lockAll(names.toArray(String[]::new)).acquire();
        });
        ClientFixture.eventually("it waits", () -> probe.waiters(names.get(0)).size() == 1);
        fixture().newestThread().interrupt();
        assertThatThrownBy(() -> ClientFixture.get(interrupted)).hasCauseInstanceOf(InterruptedException.class);
        ClientFixture.eventually(
                "it has gone", () -> probe.waiters(names.get(0)).isEmpty());
    }

    /** Nobody worked under it, so it is not kept for its least hold either. */
    @Test
    default void aSetThatIsDeliveredToNobodyIsGivenBack() throws Exception {
        List<String> names = names(2);
        StoreClient probe = fixture().probe();
        Queue<Runnable> undelivered = new ConcurrentLinkedQueue<>();
        Leasehold client = fixture()
                .client(builder -> builder.executor(undelivered::add)
                        .options(ClientFixture.LASTING.withMinHold(ClientFixture.LONGEST_WAIT.multipliedBy(2))));
        CompletableFuture<LeaseSet> set =
                client.lockAll(names.toArray(String[]::new)).acquireAsync();
        ClientFixture.eventually("it is granted", () -> !undelivered.isEmpty());
        set.cancel(false);
        ClientFixture.eventually("both are free", () -> names.stream().noneMatch(probe::shows));
        undelivered.forEach(Runnable::run);
        assertThat(names).noneMatch(probe::shows);
    }

    @Test
    default void namesMayBeShared() throws Exception {
        assumeThat(fixture().probe().store.sharing().includes(Claim.UNLIMITED)).isTrue();
        List<String> names = names(3);
        Leasehold client = fixture().client();
        LockSet one = client.lockAll(names.get(0)).shared(names.get(2));
        LockSet two = client.lockAll(names.get(1)).shared(names.get(2));
        try (LeaseSet first = one.acquire();
                LeaseSet second = two.acquire()) {
            assertThat(first.isValid()).isTrue();
            assertThat(second.isValid()).isTrue();
            assertThat(client.lock(names.get(2)).tryAcquire()).isEmpty();
            assertThat(client.lockAll(names.get(2)).shared(names.get(2)).tryAcquire())
                    .isEmpty();
            assertThat(client.lockAll()
                            .shared(names.get(2))
                            .exclusive(names.get(2))
                            .tryAcquire())
                    .isEmpty();
            // At once, but on a quorum: its masters shut readers out for a while after they have refused a writer.
            try (Lease reader = client.readWriteLock(names.get(2)).read().acquire()) {
                assertThat(reader.isValid()).isTrue();
            }
        }
        client.lock(names.get(2)).tryAcquire().orElseThrow().close();
    }

    @Test
    default void anEmptySetIsRefused() {
        LockSet none = fixture().client().lockAll();
        assertThat(none.names()).isEmpty();
        assertThatThrownBy(none::acquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> none.exclusive("")).isInstanceOf(IllegalArgumentException.class);
    }
}
