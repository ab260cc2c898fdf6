package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.redis.Masters;
import dev.leasehold.redis.RedlockStore;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about the listing of a lock on whose state its masters disagree. */
class QuorumListingTest {

    private static final String KEY = "leasehold:{demo}";

    @RegisterExtension
    private final Started<Masters> masters = new Started<>(() -> Masters.start(3));

    private Leasehold client;

    @BeforeEach
    void start() {
        RedlockStore store = masters.get().initialized();
        client = Leasehold.builder()
                .store(store)
                .storeTimeout(Duration.ofSeconds(3))
                .label("a label")
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
    }

    private String node(int number) {
        return masters.get().servers.get(number).uri();
    }

    private LockInfo seen() throws InterruptedException {
        List<LockInfo> locks = client.locks("*");
        assertThat(locks).hasSize(1);
        return locks.get(0);
    }

    private void awaitHeldEverywhere() {
        await().until(() -> masters.get().servers.stream()
                .allMatch(server -> server.commands().exists(KEY) == 1));
    }

    @Test
    void mastersThatAgreeAreNotMentioned() throws Exception {
        try (Lease lease = client.lock("demo").acquire()) {
            awaitHeldEverywhere();
            LockInfo lock = seen();
            assertThat(lock.holder()).isNotNull();
            assertThat(lock.holder().token()).isEqualTo(lease.token());
            assertThat(lock.disagreement()).isEmpty();
        }
        assertThat(client.locks("*")).isEmpty();
    }

    @Test
    void aFlushedMasterAndASilentOneAreNamed() throws Exception {
        try (Lease lease = client.lock("demo").acquire()) {
            awaitHeldEverywhere();
            masters.get().servers.get(1).commands().flushall();
            LockInfo lock = seen();
            assertThat(lock.holder().token()).isEqualTo(lease.token());
            assertThat(lock.disagreement()).containsExactly(new NodeAnswer(node(1), "nobody holds it"));

            masters.get()
                    .servers
                    .get(1)
                    .commands()
                    .set(KEY, masters.get().servers.get(0).commands().get(KEY));
            masters.get().servers.get(2).kill();
            await().untilAsserted(() -> assertThat(seen().disagreement())
                    .extracting(NodeAnswer::node)
                    .containsExactly(node(2)));
        }
    }

    @Test
    void aMasterWithAnotherClaimIsNamedWithIt() throws Exception {
        try (Lease lease = client.lock("demo").acquire()) {
            awaitHeldEverywhere();
            String other = masters.get()
                    .servers
                    .get(0)
                    .commands()
                    .get(KEY)
                    .replace(Long.toString(lease.token()), Long.toString(lease.token() + 1000));
            masters.get().servers.get(2).commands().set(KEY, other, io.lettuce.core.SetArgs.Builder.px(30_000));

            LockInfo lock = seen();
            assertThat(lock.holder().token()).isEqualTo(lease.token());
            assertThat(lock.disagreement()).hasSize(1);
            NodeAnswer answer = lock.disagreement().get(0);
            assertThat(answer.node()).isEqualTo(node(2));
            assertThat(answer.answer())
                    .startsWith("held by ")
                    .contains("label=a label, token " + (lease.token() + 1000) + ", for another ");
        }
    }

    @Test
    void readersAreShownAndAMasterThatMissesOne() throws Exception {
        DistributedLock reads = client.readWriteLock("demo").read();
        try (Lease one = reads.acquire();
                Lease two = reads.acquire()) {
            await().until(() -> masters.get().servers.stream()
                    .allMatch(server -> server.commands().get(KEY).lines().count() == 3));
            String both = masters.get().servers.get(0).commands().get(KEY);
            String first = both.lines()
                    .filter(line -> !line.contains("|" + two.token() + "|"))
                    .collect(Collectors.joining("\n"));
            masters.get().servers.get(2).commands().set(KEY, first, io.lettuce.core.SetArgs.Builder.keepttl());

            LockInfo lock = seen();
            assertThat(lock.holders()).extracting(HolderInfo::token).containsExactly(one.token(), two.token());
            assertThat(lock.holders()).noneMatch(HolderInfo::isExclusive);
            assertThat(lock.disagreement()).extracting(NodeAnswer::node).containsExactly(node(2));
            assertThat(lock.disagreement().get(0).answer()).contains("token " + one.token() + ", for another ");
        }
    }

    @Test
    void aSplitLockIsShownAndTheRestOfAClaimIsNot() throws Exception {
        String claim;
        try (Lease lease = client.lock("demo").acquire()) {
            awaitHeldEverywhere();
            claim = masters.get().servers.get(0).commands().get(KEY);
        }
        await().until(() -> masters.get().servers.stream()
                .allMatch(server -> server.commands().exists(KEY) == 0));
        masters.get().servers.get(0).commands().set(KEY, claim, io.lettuce.core.SetArgs.Builder.px(30_000));
        assertThat(client.locks("*")).isEmpty();

        masters.get()
                .servers
                .get(1)
                .commands()
                .set(KEY, claim.replace("a label", "another"), io.lettuce.core.SetArgs.Builder.px(30_000));
        LockInfo lock = seen();
        assertThat(lock.holder()).isNull();
        assertThat(lock.waiters()).isEmpty();
        assertThat(lock.disagreement()).extracting(NodeAnswer::node).containsExactly(node(0), node(1));
    }
}
