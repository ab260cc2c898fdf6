package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Try rules say that of several that try once, at the same time, for what is free, as many get it as may have it. */
interface TryRules extends LeaseholdRules {

    int CLIENTS = 4;
    int ROUNDS = 10;

    /** A try is one client's, for something of a name that nobody has. */
    interface Try {
        Optional<? extends AutoCloseable> by(Leasehold client, String name) throws InterruptedException;
    }

    private void of(int expected, Try attempt) throws Exception {
        List<Leasehold> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(fixture().client(builder -> builder.options(ClientFixture.LASTING)));
        }
        for (int round = 0; round < ROUNDS; round++) {
            String name = fixture().lock();
            CyclicBarrier together = new CyclicBarrier(CLIENTS);
            List<CompletableFuture<Optional<? extends AutoCloseable>>> all = new ArrayList<>();
            for (Leasehold client : clients) {
                all.add(fixture().inThread(() -> {
                    together.await();
                    return attempt.by(client, name);
                }));
            }
            List<AutoCloseable> got = new ArrayList<>();
            boolean answered = true;
            for (CompletableFuture<Optional<? extends AutoCloseable>> each : all) {
                answered &= answered(each, got);
            }
            if (answered) {
                assertThat(got).as("those who got %s", name).hasSize(expected);
            }
            for (AutoCloseable each : got) {
                each.close();
            }
        }
    }

    /** A try waits for its store for a second, and a busy machine's may take longer: such a round shows nothing. */
    private static boolean answered(CompletableFuture<Optional<? extends AutoCloseable>> tried, List<AutoCloseable> got)
            throws Exception {
        try {
            ClientFixture.get(tried).ifPresent(got::add);
            return true;
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class);
            return false;
        }
    }

    private Try granting(int share, Try attempt) {
        assumeThat(fixture().probe().store.sharing().includes(share))
                .as("the store grants the share %s", share)
                .isTrue();
        return attempt;
    }

    @Test
    default void oneOfSeveralTriesGetsAFreeLock() throws Exception {
        of(1, (client, name) -> client.lock(name).tryAcquire());
    }

    /** The answer to an older try of its process is on its way, and says busy; unless that try has got the lock itself. */
    @Test
    default void aTryThatBeginsAfterAReleaseFindsTheLockFree() throws Exception {
        StoreClient elsewhere = fixture().probe();
        Leasehold client = fixture().client(builder -> builder.options(ClientFixture.LASTING));
        client.lock(fixture().lock()).acquire().close();
        for (int round = 0; round < ROUNDS; round++) {
            String name = fixture().lock();
            LeaseId theirs = elsewhere.acquire(name).lease();
            fixture().store.plan(FaultPlan.script(FaultPlan.Message.CLAIM, Fault.DELAY_ANSWER));
            CompletableFuture<Optional<? extends AutoCloseable>> older =
                    fixture().inThread(client.lock(name)::tryAcquire);
            ClientFixture.pause(Duration.ofMillis(10));
            elsewhere.release(theirs);
            CompletableFuture<Optional<? extends AutoCloseable>> later =
                    fixture().inThread(client.lock(name)::tryAcquire);
            List<AutoCloseable> got = new ArrayList<>();
            boolean first = answered(older, got);
            if (answered(later, got) && first) {
                assertThat(got).hasSize(1);
            }
        }
    }

    @Test
    default void oneOfSeveralTriesGetsAFreeSet() throws Exception {
        of(
                1,
                (client, name) ->
                        client.lockAll(name + "a", name + "b", name + "c").tryAcquire());
    }

    /** Each set fails by a name of another alone: here by b, which the first, or the second, then has. */
    @Test
    default void oneOfSeveralTriesGetsASetThatOverlaps() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String name = fixture().lock();
            List<List<String>> sets = List.of(
                    List.of(name + "a", name + "b"), List.of(name + "b", name + "c"), List.of(name + "c", name + "d"));
            CyclicBarrier together = new CyclicBarrier(sets.size());
            List<CompletableFuture<Optional<? extends AutoCloseable>>> all = new ArrayList<>();
            for (List<String> set : sets) {
                Leasehold client = fixture().client(builder -> builder.options(ClientFixture.LASTING));
                all.add(fixture().inThread(() -> {
                    together.await();
                    return client.lockAll(set.toArray(String[]::new)).tryAcquire();
                }));
            }
            List<AutoCloseable> got = new ArrayList<>();
            boolean answered = true;
            for (CompletableFuture<Optional<? extends AutoCloseable>> each : all) {
                answered &= answered(each, got);
            }
            if (answered) {
                assertThat(got).as("those who got a set").isNotEmpty();
            }
        }
    }

    @Test
    default void asManyTriesGetPermitsAsThereAre() throws Exception {
        of(2, granting(2, (client, name) -> client.semaphore(name, 2).tryAcquire()));
    }

    @Test
    default void allReadersThatTryGetIn() throws Exception {
        of(
                CLIENTS,
                granting(
                        Claim.UNLIMITED,
                        (client, name) -> client.readWriteLock(name).read().tryAcquire()));
    }
}
