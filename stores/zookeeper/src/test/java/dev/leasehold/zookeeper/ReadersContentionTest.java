package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedReadWriteLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that read and write in turn, while their connections break, keep apart; their tokens order them. */
@Tag("slow")
class ReadersContentionTest {

    private static final int CLIENTS = 4;
    private static final int THREADS = 2;
    private static final int TURNS = 25;

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();
    private final AtomicInteger readers = new AtomicInteger();
    private final AtomicInteger writers = new AtomicInteger();
    private final AtomicInteger mostReaders = new AtomicInteger();
    private final AtomicLong lastWritten = new AtomicLong();
    private final AtomicLong lastRead = new AtomicLong();

    @Test
    void readersAndWritersKeepApartWhileConnectionsBreak() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS * THREADS);
        List<Future<?>> all = new ArrayList<>();
        List<Leasehold> clients = new ArrayList<>();
        List<FaultProxy> proxies = new ArrayList<>();
        try {
            for (int c = 0; c < CLIENTS; c++) {
                FaultProxy proxy = FaultProxy.to(ZOO.get().port());
                proxies.add(proxy);
                Leasehold client = Leasehold.builder()
                        .store(Zoo.store("127.0.0.1:" + proxy.port(), 60_000))
                        .build();
                clients.add(client);
                for (int t = 0; t < THREADS; t++) {
                    SplittableRandom chance = new SplittableRandom(c * 10L + t);
                    all.add(threads.submit(() -> {
                        work(client.readWriteLock(name), proxy, chance);
                        return true;
                    }));
                }
            }
            for (Future<?> each : all) {
                each.get();
            }
            assertThat(mostReaders.get()).isGreaterThan(1);
        } finally {
            threads.shutdownNow();
            clients.forEach(Leasehold::close);
            for (FaultProxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    private void work(DistributedReadWriteLock lock, FaultProxy proxy, SplittableRandom chance) throws Exception {
        for (int n = 0; n < TURNS; n++) {
            if (chance.nextInt(12) == 0) {
                proxy.cut();
            }
            if (chance.nextInt(3) == 0) {
                try (Lease lease = lock.write().acquire()) {
                    write(lease);
                }
            } else {
                try (Lease lease = lock.read().acquire()) {
                    read(lease);
                }
            }
        }
    }

    private void write(Lease lease) {
        assertThat(writers.incrementAndGet()).isEqualTo(1);
        assertThat(readers.get()).isZero();
        assertThat(lease.token()).isGreaterThan(lastWritten.get()).isGreaterThan(lastRead.get());
        lastWritten.set(lease.token());
        writers.decrementAndGet();
    }

    private void read(Lease lease) {
        int beside = readers.incrementAndGet();
        mostReaders.accumulateAndGet(beside, Math::max);
        assertThat(writers.get()).isZero();
        assertThat(lease.token()).isGreaterThan(lastWritten.get());
        lastRead.accumulateAndGet(lease.token(), Math::max);
        Thread.yield();
        readers.decrementAndGet();
    }
}
