package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Contention is between clients that want one lock at the same time, each on a thread of its own. */
final class Contention {

    private final String name;
    private final List<Leasehold> clients;

    Contention(String name, List<Leasehold> clients) {
        this.name = name;
        this.clients = clients;
    }

    /** Clients that make the tables at the same moment all succeed. */
    static void forTheTables(String name, String url) throws Exception {
        for (int i = 0; i < 5; i++) {
            List<Leasehold> clients = new ArrayList<>();
            for (int client = 0; client < 4; client++) {
                clients.add(Leasehold.connect(url + "&leasehold.tables=race" + i + "_"));
            }
            try {
                new Contention(name, clients).take(1);
            } finally {
                clients.forEach(Leasehold::close);
            }
        }
    }

    /** Each acquires so many times: nobody is inside with another, and tokens go up. */
    void take(int times) throws Exception {
        AtomicBoolean inside = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        long[] last = {0};
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Leasehold client : clients) {
            all.add(CompletableFuture.runAsync(() -> {
                DistributedLock lock = client.lock(name);
                for (int i = 0; i < times; i++) {
                    try (Lease lease = lock.acquire()) {
                        assertThat(inside.compareAndSet(false, true)).isTrue();
                        assertThat(lease.token()).isGreaterThan(last[0]);
                        last[0] = lease.token();
                        done.incrementAndGet();
                        inside.set(false);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        for (CompletableFuture<Void> one : all) {
            one.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(done).hasValue(clients.size() * times);
    }

    /** While they are at it the server dies and comes back: nothing is held twice, and what was held still is. */
    void goOnThrough(Runnable killAndRestart) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger twice = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Leasehold client : clients) {
            all.add(CompletableFuture.runAsync(() -> {
                while (!stop.get()) {
                    try (Lease lease = client.lock(name).acquire()) {
                        if (inside.incrementAndGet() > 1 && lease.isValid()) {
                            twice.incrementAndGet();
                        }
                        inside.decrementAndGet();
                        done.incrementAndGet();
                    } catch (LockException | InterruptedException e) {
                        // The server is away for a while.
                    }
                }
            }));
        }
        awaitMore(done);
        Lease held = clients.get(0).lock(name + " held").acquire();
        killAndRestart.run();
        awaitMore(done);
        stop.set(true);
        for (CompletableFuture<Void> each : all) {
            each.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(twice).hasValue(0);
        held.extend(Duration.ofSeconds(40));
        assertThat(held.isValid()).isTrue();
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
    }

    private static void awaitMore(AtomicInteger done) {
        int before = done.get();
        await().atMost(Duration.ofSeconds(90)).until(() -> done.get() > before + 20);
    }
}
