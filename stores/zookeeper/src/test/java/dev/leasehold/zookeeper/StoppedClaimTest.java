package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client stops right after the listing that its claim acts on, and goes on when all has changed. */
@Tag("slow")
class StoppedClaimTest extends OneScriptedClient {

    @Test
    void theSlotIsWrittenIfNothingHasChanged() throws Exception {
        claimAndStop(3);
        assertThat(SlotTable.read(tree.read(PATH), 0).slots()).isEmpty();
        goOn();
        assertThat(SlotTable.read(tree.read(PATH), 0).of(own())).isZero();
        assertThat(granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.slot()).isZero());
    }

    /** Somebody has broken its lease, the lock's node was removed, and made anew with as many writes. */
    @Test
    @DisplayName("The table of a lock's node that was made anew is not overwritten")
    void theTableOfANewLocksNodeIsNotOverwritten() throws Exception {
        claimAndStop(3);
        tree.delete(PATH + '/' + own());
        tree.delete(PATH);
        tree.create(PATH, new byte[0], CreateMode.PERSISTENT, 0);
        String other = stranger(3).substring(PATH.length() + 1);
        tree.write(PATH, NodeData.text("0 " + other + '\n'));
        assertThat(tree.stat(PATH).getVersion()).isEqualTo(1);
        goOn();
        assertThat(SlotTable.read(tree.read(PATH), 0).of(other)).isZero();
        // It has made another node, behind the other.
        assertThat(granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.slot()).isEqualTo(1));
    }

    /** Before it watches the one before it, that is let in; then a holder goes. */
    @Test
    @DisplayName("It notices that the one before it was let in before it was watched")
    void itNoticesAnotherThatWasLetInUnwatched() throws Exception {
        String one = stranger(2);
        String two = stranger(2);
        String waiter = stranger(2);
        claimAndStop(2);
        tree.delete(one);
        tree.write(waiter, NodeData.text(NEWS));
        goOn();
        assertThat(granted).isEmpty();
        tree.delete(two);
        goOn();
        assertThat(granted).hasSize(1);
    }

    /** Before the writer is watched, it becomes a reader. */
    @Test
    @DisplayName("It notices that a writer became a reader before it was watched")
    void itNoticesAWriterThatBecameAReaderUnwatched() throws Exception {
        String writer = stranger(Claim.EXCLUSIVE);
        claimAndStop(Claim.UNLIMITED);
        tree.write(writer, NodeData.text(NEWS));
        String mark = NodeName.reading(writer.substring(PATH.length() + 1));
        tree.create(PATH + '/' + mark, new byte[0], CreateMode.EPHEMERAL, 9);
        goOn();
        assertThat(granted).hasSize(1);
    }

    /** One holder goes when it is watched already, and another one not yet. */
    @Test
    void itNoticesThatAHolderWentBeforeAllWereWatched() throws Exception {
        String one = stranger(2);
        stranger(2);
        claimAndStop(2);
        handle.serve(null);
        tree.delete(one);
        goOn();
        assertThat(granted).hasSize(1);
    }

    /** Two readers have the lock, one without a holder; a writer waits, and behind it comes another. */
    @Test
    void aKeptLeaseIsCountedBeforeThoseWhoWait() throws Exception {
        stranger(Claim.UNLIMITED);
        String waiting = stranger(Claim.EXCLUSIVE);
        tree.create(
                PATH + '/' + NodeName.kept(64, Claim.UNLIMITED, Grant.NO_SLOT),
                new NodeData.Keep(64, 600_000).bytes(),
                CreateMode.PERSISTENT,
                0);
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        assertThat(places).containsExactly(2);
        tree.delete(waiting);
        goOn();
        store.claim(new Claim(new ClaimId("c", 1), "l", Claim.EXCLUSIVE, Duration.ofMinutes(10), true))
                .thenAccept(this::note);
        goOn();
        assertThat(places).containsExactly(2, 1);
    }

    /** Another client has written its slot, and the one behind it waits to hear that it is in. */
    @Test
    void itWakesTheNextAlsoIfItsSlotWasGivenByAnother() throws Exception {
        String mutex = stranger(Claim.EXCLUSIVE);
        claimAndStop(2);
        goOn();
        stranger(2);
        tree.write(PATH, NodeData.text("0 " + own() + '\n'));
        tree.delete(mutex);
        goOn();
        assertThat(granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.slot()).isZero());
        assertThat(NodeData.Owner.read(tree.read(PATH + '/' + own())).isNews()).isTrue();
    }

    /** The claim behind the reader has seen the permits, and waits for the reader's word. The reader never sees them. */
    @Test
    void aReaderThatIsLetInByItsFirstLateLookWakesTheNext() throws Exception {
        String one = stranger(2);
        String two = stranger(2);
        claimAndStopBeforeTheListing(Claim.UNLIMITED);
        stranger(Claim.UNLIMITED);
        tree.delete(one);
        tree.delete(two);
        goOn();
        assertThat(granted).hasSize(1);
        assertThat(NodeData.Owner.read(tree.read(PATH + '/' + own())).isNews()).isTrue();
    }

    /** The permit behind the reader has seen another one before it. The reader sees the writer alone, which then releases. */
    @Test
    @DisplayName("A reader that follows a writer wakes the next if its first look was late")
    void aReaderWhoseFirstLookWasLateWakesTheNext() throws Exception {
        String writer = stranger(Claim.EXCLUSIVE);
        String permit = stranger(2);
        claimAndStopBeforeTheListing(Claim.UNLIMITED);
        stranger(2);
        tree.delete(permit);
        goOn();
        assertThat(granted).isEmpty();
        tree.write(PATH, NodeData.text(writer.substring(PATH.length() + 1)));
        tree.delete(writer);
        goOn();
        assertThat(granted).hasSize(1);
        assertThat(NodeData.Owner.read(tree.read(PATH + '/' + own())).isNews()).isTrue();
    }

    /** The last look before it is let in shows the permit no more. */
    @Test
    @DisplayName("A reader that saw a permit before it wakes the next when that is gone")
    void aReaderWakesTheNextWhenThePermitIsGone() throws Exception {
        String first = stranger(Claim.EXCLUSIVE);
        String second = stranger(Claim.EXCLUSIVE);
        String permit = stranger(2);
        claimAndStop(Claim.UNLIMITED);
        goOn();
        stranger(2);
        tree.delete(permit);
        tree.delete(second);
        goOn();
        tree.write(PATH, NodeData.text(first.substring(PATH.length() + 1)));
        tree.delete(first);
        goOn();
        assertThat(granted).hasSize(1);
        assertThat(NodeData.Owner.read(tree.read(PATH + '/' + own())).isNews()).isTrue();
    }

    /** Readers among readers and writers alone send what they always have. */
    @Test
    void aReaderBehindAWriterAloneWritesNothing() throws Exception {
        String writer = stranger(Claim.EXCLUSIVE);
        claimAndStop(Claim.UNLIMITED);
        goOn();
        stranger(Claim.UNLIMITED);
        tree.write(PATH, NodeData.text(writer.substring(PATH.length() + 1)));
        tree.delete(writer);
        goOn();
        assertThat(granted).hasSize(1);
        assertThat(tree.stat(PATH + '/' + own()).getVersion()).isZero();
    }

    /** The process was stopped, and its timers with it. */
    @Test
    void aDowngradeAfterTheEndBringsNothingBack() throws Exception {
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        time.pause(Duration.ofMinutes(11));
        CompletableFuture<RenewAnswer> answer =
                store.downgrade(granted.get(0).lease(), Duration.ofMinutes(10)).toCompletableFuture();
        goOn();
        assertThat(answer).isCompletedWithValueMatching(RenewAnswer.Lost.class::isInstance);
        assertThat(tree.children(PATH)).noneMatch(each -> each.startsWith("2-read-"));
    }

    /** Its node is still there, since nothing has run meanwhile. */
    @Test
    void aReleaseAfterTheEndReleasesNothing() throws Exception {
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        time.pause(Duration.ofMinutes(11));
        assertThat(store.release(granted.get(0).lease(), Duration.ZERO).toCompletableFuture())
                .isCompletedWithValue(ReleaseAnswer.NOT_HELD);
    }

    private CompletableFuture<RenewAnswer> downgradeWhatIsHeld() throws Exception {
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        return store.downgrade(granted.get(0).lease(), Duration.ofMinutes(10)).toCompletableFuture();
    }

    @Test
    void aDowngradedLeaseIsKeptAsAReaders() throws Exception {
        downgradeWhatIsHeld();
        goOn();
        CompletableFuture<ReleaseAnswer> released =
                store.release(granted.get(0).lease(), Duration.ofMinutes(10)).toCompletableFuture();
        goOn();
        assertThat(released).isCompletedWithValue(ReleaseAnswer.RELEASED);
        assertThat(tree.children(PATH))
                .singleElement()
                .satisfies(node -> assertThat(node).startsWith("2-keep-all-"));
    }

    /** Nobody watches the node yet, so that it is gone is seen by the release. */
    @Test
    @DisplayName("Nothing is left of a downgraded lease that was broken before its release")
    void nothingIsLeftOfABrokenDowngradedLease() throws Exception {
        downgradeWhatIsHeld();
        while (tree.children(PATH).stream().noneMatch(each -> each.startsWith("2-read-"))) {
            handle.serve(null);
        }
        while (handle.deliver()) {}
        CompletableFuture<ReleaseAnswer> released =
                store.release(granted.get(0).lease(), Duration.ZERO).toCompletableFuture();
        tree.delete(PATH + '/' + own());
        goOn();
        assertThat(released).isCompletedWithValue(ReleaseAnswer.NOT_HELD);
        assertThat(tree.children(PATH)).isEmpty();
    }

    @Test
    void aRefusedDowngradeIsAnsweredAndNotRepeated() throws Exception {
        CompletableFuture<RenewAnswer> answer = downgradeWhatIsHeld();
        handle.serve(Code.NOAUTH);
        while (handle.deliver()) {}
        assertThat(answer).isCompletedExceptionally();
        assertThat(handle.isIdle()).isTrue();
    }

    /** The server accepts neither creator-only nor open access lists. */
    @Test
    void anAccessListThatIsRefusedIsNotRepeated() throws Exception {
        accessIsRefused(downgradeWhatIsHeld());
        accessIsRefused(store.renew(granted.get(0).lease(), Duration.ofMinutes(10)));
        accessIsRefused(store.release(granted.get(0).lease(), Duration.ofMinutes(10)));
    }

    private void accessIsRefused(CompletionStage<?> asked) {
        for (int i = 0; i < 10; i++) {
            handle.serve(Code.INVALIDACL);
            while (handle.deliver()) {}
        }
        assertThat(asked.toCompletableFuture()).isCompletedExceptionally();
        assertThat(handle.isIdle()).isTrue();
    }

    /** Nobody watches the node yet. */
    @Test
    void aDowngradeFindsThatTheLeaseWasBroken() throws Exception {
        CompletableFuture<RenewAnswer> answer = downgradeWhatIsHeld();
        tree.delete(PATH + '/' + own());
        goOn();
        assertThat(answer).isCompletedWithValueMatching(RenewAnswer.Lost.class::isInstance);
        assertThat(store.renew(granted.get(0).lease(), Duration.ofMinutes(10)).toCompletableFuture())
                .isCompletedWithValueMatching(RenewAnswer.Lost.class::isInstance);
    }
}
