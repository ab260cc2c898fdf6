package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.redis.RedlockFixture;
import dev.leasehold.redis.RedlockStore;
import dev.leasehold.servers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about masters of a quorum that forget, or are new: without a vote nobody can have a lock from them. */
@Tag("slow")
class RedlockRestartTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final Duration NO_VOTE = Duration.ofMillis(4020);
    private static final String[] ALWAYS = {"--appendonly", "yes", "--appendfsync", "always"};

    private RedlockFixture fixture;

    @AfterEach
    void stop() {
        fixture.close();
    }

    private Leasehold impatient(RedlockStore store) {
        return fixture.client(
                store.withNodeTimeout(Duration.ofMillis(100)), Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"two crash", "all crash", "two are flushed"})
    void mastersThatForgotGrantNothingForTheLongestLease(String what) throws Exception {
        fixture = RedlockFixture.opened(3, LONGEST);
        Leasehold holder = fixture.client(fixture.store, LONGEST);
        Lease lease = holder.lock("x").acquire();
        Leasehold other = fixture.client(fixture.store, LONGEST);
        other.lock("warm").acquire().close();
        long start = System.nanoTime();
        for (int i = 0; i < (what.startsWith("all") ? 3 : 2); i++) {
            if (what.endsWith("crash")) {
                fixture.crash(i);
            } else {
                fixture.server(i).commands().flushall();
            }
        }
        CompletableFuture<Boolean> stillHeldThen = new CompletableFuture<>();
        CompletableFuture<Lease> next = other.lock("x").acquireAsync();
        next.whenComplete((got, failure) -> stillHeldThen.complete(lease.isValid()));
        assertThat(next.get(30, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
        assertThat(stillHeldThen.get()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(NO_VOTE.minusMillis(50));
        assertThat(next.get().release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aMasterGetsTheLeaseAgainWhenItHasItsVoteBack() throws Exception {
        fixture = RedlockFixture.opened(3, LONGEST);
        Lease lease = fixture.client(fixture.store, LONGEST).lock("x").acquire();
        long start = System.nanoTime();
        fixture.crash(1);
        await().pollInterval(Duration.ofMillis(20))
                .until(() -> fixture.server(1).commands().exists("leasehold:{x}") == 1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(NO_VOTE.minusMillis(50));
        assertThat(lease.isValid()).isTrue();
        assertThat(Long.parseLong(fixture.server(1).commands().get("leasehold:{x}:token")))
                .isGreaterThanOrEqualTo(lease.token());
        // Now the two that are left besides the first have it.
        fixture.server(0).kill();
        lease.extend(LONGEST);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(fixture.server(1).commands().exists("leasehold:{x}")).isZero();
    }

    @Test
    void mastersWithTrustedDisksKeepTheirVotesOverACrash() throws Exception {
        fixture = RedlockFixture.unopened(3, Duration.ofMinutes(1), ALWAYS);
        RedlockStore trusting = fixture.store.withTrustedPersistence();
        trusting.initialize();
        Lease lease = fixture.client(trusting, Duration.ofSeconds(20)).lock("x").acquire();
        for (int i = 0; i < 3; i++) {
            fixture.crash(i);
        }
        Leasehold other = fixture.client(trusting, Duration.ofSeconds(20));
        assertThat(other.lock("x").tryAcquire()).isEmpty();
        lease.extend(Duration.ofSeconds(25));
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(other.lock("x").acquire().token()).isGreaterThan(lease.token());
        assertThatThrownBy(() -> impatient(fixture.store).lock("x").tryAcquire())
                .isInstanceOf(LockException.class)
                .hasMessageContaining("trustPersistence");
    }

    @Test
    void otherMastersSayHowLongTheyHaveNoVote() throws Exception {
        fixture = RedlockFixture.opened(3, Duration.ofMinutes(1), "--appendonly", "yes", "--appendfsync", "everysec");
        Lease lease = fixture.client().lock("x").acquire();
        fixture.crash(0);
        fixture.crash(2);
        assertThatThrownBy(() -> impatient(fixture.store).lock("y").acquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.backIn())
                            .as(e.getMessage())
                            .isBetween(Duration.ofSeconds(30), Duration.ofMillis(62_600));
                    assertThat(e).hasMessageContaining("quorum init").hasMessageContaining("no vote for another");
                    assertThat(e.nodes()).hasSize(3);
                    assertThat(e.nodes().get(0).answer()).contains("no vote for another");
                    assertThat(e.nodes().get(1).answer()).doesNotContain("no vote");
                });
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(20))).isInstanceOf(LockException.class);
        assertThat(fixture.server(1).commands().keys("leasehold:{y}")).isEmpty();
    }

    /** Its run is the same, and it has the marker of that run: only the replication history shows that it was away. */
    @Test
    void mastersThatFollowedOldCopiesHaveNoVote() throws Exception {
        String[] atOnce = {"--repl-diskless-sync-delay", "0"};
        fixture = RedlockFixture.unopened(3, Duration.ofMinutes(1), atOnce);
        try (RedisProcess first = RedisProcess.start(atOnce);
                RedisProcess second = RedisProcess.start(atOnce)) {
            // A server's history has another name from its first replica on.
            follow(first, fixture.server(0));
            follow(second, fixture.server(1));
            fixture.store.initialize();
            for (RedisProcess copy : List.of(first, second)) {
                await().until(() -> copy.commands().exists("leasehold:quorum") == 1);
                copy.commands().replicaofNoOne();
            }
            Lease lease = fixture.client().lock("x").acquire();
            follow(fixture.server(0), first);
            follow(fixture.server(1), second);
            fixture.server(0).commands().replicaofNoOne();
            fixture.server(1).commands().replicaofNoOne();
            assertThat(fixture.server(0).commands().keys("*")).containsExactly("leasehold:quorum");
            Leasehold other = impatient(fixture.store);
            assertThat(other.lock("x").tryAcquire()).isEmpty();
            assertThatThrownBy(() -> other.lock("y").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no vote for another");
            assertThat(lease.isValid()).isTrue();
        }
    }

    private static void follow(RedisProcess replica, RedisProcess master) {
        replica.commands().replicaof("localhost", master.port());
        await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
    }

    @Test
    void aClaimWaitsForTheVotesOfANewQuorum() throws Exception {
        fixture = RedlockFixture.unopened(3, LONGEST);
        long start = System.nanoTime();
        assertThatThrownBy(() -> impatient(fixture.store).lock("x").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("quorum init");
        assertThat(fixture.client(fixture.store, LONGEST).lock("x").tryAcquire(Duration.ofSeconds(15)))
                .isPresent();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(NO_VOTE.minusMillis(500));
    }

    @Test
    void onlyAQuorumWithoutAnyVoteIsOpened() throws Exception {
        fixture = RedlockFixture.unopened(3, Duration.ofMinutes(1));
        fixture.server(1).kill();
        assertThatThrownBy(fixture.store::initialize).isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
            assertThat(e.nodes()).hasSize(3);
            assertThat(e.nodes().get(0).answer()).startsWith("has no vote for another");
            assertThat(e.nodes().get(1).answer()).contains("refused");
            assertThat(e).hasMessageContaining("nothing was changed");
        });
        assertThatThrownBy(() -> impatient(fixture.store).lock("x").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        fixture.server(1).restart();
        assertThat(fixture.store.initialize())
                .extracting(NodeAnswer::answer)
                .isEqualTo(List.of("has its vote now", "has its vote now", "has its vote now"));
        assertThat(fixture.client().lock("x").tryAcquire()).isPresent();
        fixture.server(0).commands().flushall();
        assertThatThrownBy(fixture.store::initialize)
                .isInstanceOf(LockException.class)
                .hasMessageContaining("not new");
        assertThatThrownBy(() -> fixture.client()
                        .lock("x")
                        .tryAcquire(Duration.ofMillis(1))
                        .orElseThrow())
                .isInstanceOf(java.util.NoSuchElementException.class);
        assertThat(fixture.server(0).commands().exists("leasehold:{x}")).isZero();
    }

    @Test
    void aClientWithAnotherLongestLeaseIsRefusedAndToldWhy() throws Exception {
        fixture = RedlockFixture.opened(3);
        assertThat(fixture.client().lock("x").tryAcquire()).isPresent();
        Leasehold other = impatient(fixture.store.withMaxLease(Duration.ofSeconds(30)));
        assertThatThrownBy(() -> other.lock("y").tryAcquire())
                .isInstanceOf(LockException.class)
                .hasMessageContaining("LEASEHOLD_QUORUM 60000")
                .hasMessageContaining("all clients of a quorum must have the same");
        assertThat(fixture.server(0).commands().keys("leasehold:{y}*")).isEmpty();
    }

    @Test
    void aLeaseLongerThanTheLongestIsRefused() {
        fixture = RedlockFixture.opened(1, LONGEST);
        assertThatThrownBy(() -> fixture.client(fixture.store, Duration.ofSeconds(3))
                        .lock("x")
                        .acquire())
                .hasMessageContaining("2 s");
    }
}
