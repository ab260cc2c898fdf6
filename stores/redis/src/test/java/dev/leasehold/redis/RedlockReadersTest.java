package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedReadWriteLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about read-write locks on three real masters, through the library's own front. */
@Tag("slow")
class RedlockReadersTest {

    private static final String KEY = "leasehold:{x}";

    @RegisterExtension
    private final Started<Masters> masters = new Started<>(() -> Masters.start(3));

    private RedlockStore store;
    private Leasehold client;

    @BeforeEach
    void start() {
        store = masters.get().initialized();
        client = Leasehold.builder().store(store).build();
    }

    @AfterEach
    void stop() {
        client.close();
    }

    @Test
    void semaphoresAreRefusedWithTheReason() {
        assertThatThrownBy(() -> client.semaphore("x", 2))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("with three masters and two permits three holders could each have a majority");
    }

    @Test
    void readersAreRefusedWithPlainKeys() {
        try (Leasehold plain = Leasehold.builder().store(store.withPlainKeys()).build()) {
            assertThatThrownBy(() -> plain.readWriteLock("x"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("leasehold.keys=plain");
        }
    }

    @Test
    void aWriterCannotBecomeAReader() throws Exception {
        try (Lease writer = client.readWriteLock("x").write().acquire()) {
            assertThatThrownBy(writer::downgrade)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("release the writer and acquire the reader");
        }
    }

    @Test
    void readersAndWritersTakeTurnsWithAMasterDown() throws Exception {
        masters.get().servers.get(2).kill();
        DistributedReadWriteLock lock = client.readWriteLock("x");
        long last = 0;
        for (int i = 0; i < 3; i++) {
            try (Lease one = lock.read().acquire();
                    Lease two = lock.read().acquire()) {
                assertThat(Math.min(one.token(), two.token())).isGreaterThan(last);
                assertThat(lock.write().tryAcquire()).isEmpty();
                last = Math.max(one.token(), two.token());
            }
            try (Lease alone = lock.write().acquire()) {
                assertThat(alone.token()).isGreaterThan(last);
                assertThat(lock.read().tryAcquire()).isEmpty();
                last = alone.token();
            }
        }
    }

    @Test
    void fullMastersRenewAndReleaseReaders() throws Exception {
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(9));
        DistributedReadWriteLock lock = client.readWriteLock("x", options);
        Lease one = lock.read().acquire();
        Lease two = lock.read().acquire();
        masters.get().servers.forEach(server -> server.commands().configSet("maxmemory", "1"));
        RedlockFixture.awaitRenewed(one, two);
        one.release();
        assertThat(two.isValid()).isTrue();
        // A master that was slow has granted nothing, or may not have heard of the release yet.
        await().until(() -> masters.get().servers.stream()
                        .map(server -> server.commands().get(KEY))
                        .filter(record -> record != null && isOnlyReader(record, two))
                        .count()
                >= 2);
        two.release();
        await().until(() -> masters.get().servers.stream()
                .allMatch(server -> server.commands().exists(KEY) == 0));
    }

    private static boolean isOnlyReader(String record, Lease lease) {
        List<String> readers = record.lines().skip(1).toList();
        return readers.size() == 1 && readers.get(0).contains("|" + lease.token() + "|");
    }
}
