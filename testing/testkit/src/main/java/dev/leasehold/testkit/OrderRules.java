package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Order rules say that the first in is the first out: between clients, and within each. */
interface OrderRules extends LeaseholdRules {

    @Test
    default void clientsAreServedInTheOrderInWhichTheyCame() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int place = i + 1;
            all.add(servedBy(fixture().client().lock(name), place, served));
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == place);
        }
        elsewhere.release(theirs);
        await(all);
        assertThat(served).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    @DisplayName("Callers of one client are served in the order in which they came")
    default void callersOfOneClientAreServedInOrder() throws Exception {
        DistributedLock lock = fixture().client().lock(fixture().lock());
        Lease first = lock.acquire();
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(servedBy(lock, i, served));
        }
        first.close();
        await(all);
        assertThat(served)
                .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
    }

    @Test
    default void manyCallersOfOneClientAreOneWaiterToTheStore() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        DistributedLock lock = fixture().client().lock(name);
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(servedBy(lock, i, served));
        }
        ClientFixture.eventually("it waits", () -> !elsewhere.waiters(name).isEmpty());
        assertThat(elsewhere.waiters(name)).hasSize(1);
        elsewhere.release(theirs);
        await(all);
        assertThat(served).hasSize(100);
    }

    @Test
    @DisplayName("A client serves no more of its own callers per turn than agreed")
    default void aClientServesItsOwnCallersWithinItsTurn() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        Leasehold crowd = fixture().client();
        for (int i = 0; i < 300; i++) {
            all.add(servedBy(crowd.lock(name), 1, served));
        }
        ClientFixture.eventually(
                "the crowd waits", () -> elsewhere.waiters(name).size() == 1);
        all.add(servedBy(fixture().client().lock(name), 2, served));
        ClientFixture.eventually(
                "the other waits", () -> elsewhere.waiters(name).size() == 2);
        elsewhere.release(theirs);
        await(all);
        assertThat(new ArrayList<>(served).indexOf(2)).isBetween(1, 65);
    }

    @Test
    default void tokensIncreaseInTheOrderOfTheGrantsAlsoWithinATurn() throws Exception {
        String name = fixture().lock();
        List<Leasehold> clients = List.of(fixture().client(), fixture().client());
        ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            all.add(clients.get(i % 2).lock(name).acquireAsync().thenAccept(lease -> {
                tokens.add(lease.token());
                lease.close();
            }));
        }
        await(all);
        assertThat(new ArrayList<>(tokens)).hasSize(150).isSorted().doesNotHaveDuplicates();
    }

    private static CompletableFuture<Void> servedBy(
            DistributedLock lock, int who, ConcurrentLinkedQueue<Integer> served) {
        return lock.acquireAsync().thenAccept(lease -> {
            served.add(who);
            lease.close();
        });
    }

    private static void await(List<CompletableFuture<?>> all) throws Exception {
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();
    }
}
