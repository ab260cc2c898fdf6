package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the embedded store under the engine, as users use it. */
class EmbeddedStoreTest {

    private static final int CLIENTS = 3;
    private static final int THREADS = 4;
    private static final int TIMES = 20;

    @TempDir
    Path directory;

    private final List<Long> tokens = new ArrayList<>(); // Guarded by the lock under test.

    @Test
    void oneAtATimeWithIncreasingTokens() throws Exception {
        List<Leasehold> clients = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS * THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Leasehold client = Leasehold.connect("sqlite:" + directory.resolve("locks.db"));
                clients.add(client);
                for (int j = 0; j < THREADS; j++) {
                    all.add(threads.submit(() -> work(client)));
                }
            }
            for (Future<?> one : all) {
                one.get(50, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
            clients.forEach(Leasehold::close);
        }
        assertThat(tokens).hasSize(CLIENTS * THREADS * TIMES).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void lookingAtAStoreThatIsNotThereYetMakesNoFile() throws Exception {
        Path file = directory.resolve("none/locks.db");
        try (Leasehold client = Leasehold.connect("sqlite:" + file)) {
            assertThat(client.locks("*")).isEmpty();
            assertThat(file.getParent()).doesNotExist();
            client.lock("x").run(lease -> {});
            assertThat(file).exists();
        }
    }

    private Void work(Leasehold client) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            client.lock("list").run(lease -> tokens.add(lease.token()));
        }
        return null;
    }
}
