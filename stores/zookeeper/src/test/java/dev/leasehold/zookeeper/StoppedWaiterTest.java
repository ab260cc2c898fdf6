package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that waits, and what happens before it looks again. */
@Tag("slow")
class StoppedWaiterTest extends OneScriptedClient {

    private void askAgain(int share) {
        store.claim(new Claim(new ClaimId("c", 1), "l", share, Duration.ofMinutes(10), true))
                .whenComplete((answer, failure) -> {
                    if (answer instanceof ClaimAnswer.Granted granted) {
                        this.granted.add(new Grant(granted.lease(), 0, share, granted.slot()));
                    }
                });
    }

    /** The one before it is stopped: it has been let in, and does not say so. */
    @Test
    void itFindsOutByItselfThatTheOneBeforeItWasLetIn() throws Exception {
        String one = stranger(2);
        String two = stranger(2);
        stranger(2);
        claimAndStop(2);
        goOn();
        tree.delete(one);
        tree.delete(two);
        goOn();
        assertThat(granted).isEmpty();
        askAgain(2);
        goOn();
        assertThat(granted).hasSize(1);
    }

    /** A writer asks whether the one before it is still there. Its watch fires before the answer, and is gone with that. */
    @Test
    void itWatchesAgainIfTheWatchFiredWhileItAsked() throws Exception {
        String writer = stranger(Claim.EXCLUSIVE);
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        askAgain(Claim.EXCLUSIVE);
        tree.write(writer, NodeData.text(NEWS));
        String mark = PATH + '/' + NodeName.reading(writer.substring(PATH.length() + 1));
        tree.create(mark, new byte[0], CreateMode.EPHEMERAL, 9);
        goOn();
        tree.delete(mark);
        tree.delete(writer);
        goOn();
        assertThat(granted).hasSize(1);
    }

    /** Two permits are kept after their release; the one that is listed last is over first. */
    @Test
    void itLooksAgainWhenTheFirstOfSeveralKeptLeasesIsOver() throws Exception {
        for (int slot = 0; slot < 2; slot++) {
            tree.create(
                    PATH + '/' + NodeName.kept(64 + 64 * slot, 2, slot),
                    new NodeData.Keep(64 + 64 * slot, slot == 0 ? 60_000 : 500).bytes(),
                    CreateMode.PERSISTENT,
                    0);
        }
        claimAndStop(2);
        goOn();
        assertThat(granted).isEmpty();
        time.advance(Duration.ofMillis(700));
        goOn();
        assertThat(granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.slot()).isEqualTo(1));
    }

    /** It has been let in, and its slot is on its way to the servers. */
    @Test
    @DisplayName("A waiter that is withdrawn while its slot is written is granted nothing")
    void aWaiterWithdrawnMeanwhileIsGrantedNothing() throws Exception {
        String mutex = stranger(Claim.EXCLUSIVE);
        claimAndStop(2);
        goOn();
        tree.delete(mutex);
        while (handle.deliver()) {}
        handle.serve(null);
        handle.serve(null);
        while (handle.deliver()) {}
        assertThat(handle.isIdle()).isFalse();
        store.withdraw("l", new ClaimId("c", 1));
        goOn();
        assertThat(granted).isEmpty();
        assertThat(tree.children(PATH)).isEmpty();
    }

    private void keep(long token, Duration lasting) throws Exception {
        tree.create(
                PATH + '/' + NodeName.kept(token, Claim.UNLIMITED, Grant.NO_SLOT),
                new NodeData.Keep(token, lasting.toMillis()).bytes(),
                CreateMode.PERSISTENT,
                0);
    }

    /** Asks once, and returns when it would be let in if nobody renewed, as far as it was told. */
    private @Nullable Duration timeLeft(int share) {
        CompletableFuture<ClaimAnswer> answer = store.claim(
                        new Claim(new ClaimId("c", 1), "l", share, Duration.ofMinutes(10), true))
                .toCompletableFuture();
        goOn();
        return ((ClaimAnswer.Busy) answer.join()).timeLeft();
    }

    @Test
    void theEndOfTheOnlyHolderIsTold() throws Exception {
        keep(64, Duration.ofSeconds(40));
        assertThat(timeLeft(Claim.EXCLUSIVE)).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(42));
    }

    @Test
    void theEndOfOneOfSeveralHoldersIsNotTold() throws Exception {
        keep(64, Duration.ofSeconds(40));
        keep(128, Duration.ofSeconds(60));
        assertThat(timeLeft(Claim.EXCLUSIVE)).isNull();
    }

    @Test
    @DisplayName("The end of a holder is not told where a writer waits for it first")
    void theEndOfAHolderIsNotToldBehindAWriter() throws Exception {
        keep(64, Duration.ofSeconds(40));
        stranger(Claim.EXCLUSIVE);
        assertThat(timeLeft(Claim.UNLIMITED)).isNull();
    }

    /** Its node's transaction will be its token, and is none yet. */
    @Test
    void aWaiterHasNoLeaseToBreak() throws Exception {
        stranger(Claim.EXCLUSIVE);
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        String waiter = PATH + '/' + own();
        CompletableFuture<Boolean> broken =
                store.breakLease("l", tree.stat(waiter).getCzxid() << 6).toCompletableFuture();
        goOn();
        assertThat(broken).isCompletedWithValue(false);
        assertThat(tree.has(waiter)).isTrue();
    }
}
