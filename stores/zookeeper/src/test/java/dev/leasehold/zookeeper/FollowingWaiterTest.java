package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that waits for a writer, which releases the lock: two reads in one request say so, and what may become of them. */
@Tag("slow")
class FollowingWaiterTest extends OneScriptedClient {

    /** What it reads waits in the handle. */
    @BeforeEach
    void release() throws Exception {
        String holder = stranger(Claim.EXCLUSIVE);
        claimAndStop(Claim.EXCLUSIVE);
        goOn();
        log.clear();
        tree.delete(holder);
        tree.write(PATH, NodeData.text(holder.substring(PATH.length() + 1)));
        while (handle.deliver()) {}
    }

    private List<String> sent() {
        return log.stream().filter(line -> line.startsWith("send")).toList();
    }

    private void isGrantedByItsNode() throws Exception {
        goOn();
        long token = tree.stat(PATH + '/' + own()).getCzxid() << 6;
        assertThat(granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.lease().token()).isEqualTo(token));
    }

    @Test
    void itIsLetInByOneRequest() throws Exception {
        String own = own();
        isGrantedByItsNode();
        assertThat(sent()).containsExactly("send multi READ4 " + PATH + " READ4 " + PATH + '/' + own);
    }

    @Test
    void itReadsAgainIfTheAnswerIsLost() throws Exception {
        handle.serve(null);
        handle.fail(Code.CONNECTIONLOSS);
        assertThat(granted).isEmpty();
        time.advance(Duration.ofMillis(100));
        isGrantedByItsNode();
        assertThat(sent()).hasSize(2).allMatch(line -> line.startsWith("send multi"));
    }

    @Test
    @DisplayName("it waits anew, for a new token, if its session ends meanwhile")
    void itWaitsAnewIfItsSessionEndsMeanwhile() throws Exception {
        long before = tree.stat(PATH + '/' + own()).getCzxid() << 6;
        handle.serve(null);
        handle.end();
        tree.end(1);
        handle.begin(2, tree, log::add);
        events.connected(handle);
        isGrantedByItsNode();
        assertThat(granted.get(0).lease().token()).isGreaterThan(before);
    }

    @Test
    @DisplayName("it is let in by the node that it has made anew, if somebody has deleted its own")
    void itIsNotLetInWithoutItsNode() throws Exception {
        long before = tree.stat(PATH + '/' + own()).getCzxid() << 6;
        tree.delete(PATH + '/' + own());
        String other = stranger(Claim.EXCLUSIVE);
        goOn();
        assertThat(granted).isEmpty();
        tree.delete(other);
        isGrantedByItsNode();
        assertThat(granted.get(0).lease().token()).isGreaterThan(before);
    }

    @Test
    void itIsGrantedNothingByALateAnswer() throws Exception {
        handle.serve(null);
        store.withdraw("l", new ClaimId("c", 1));
        goOn();
        assertThat(granted).isEmpty();
        assertThat(tree.children(PATH)).isEmpty();
    }

    @Test
    void itLeavesIfTheLocksNodeMayNotBeRead() throws Exception {
        handle.serve(Code.NOAUTH);
        goOn();
        assertThat(granted).isEmpty();
        assertThat(tree.children(PATH)).isEmpty();
    }

    /** Such a server does not know the request. */
    @Test
    @DisplayName("from a server older than 3.6 it gets nothing, and says why")
    void itSaysThatAServerIsTooOld() throws Exception {
        CompletableFuture<ClaimAnswer> asked = store.claim(
                        new Claim(new ClaimId("c", 1), "l", Claim.EXCLUSIVE, Duration.ofMinutes(10), true))
                .toCompletableFuture();
        handle.serve(Code.UNIMPLEMENTED);
        goOn();
        assertThat(asked).isCompletedExceptionally();
        assertThatThrownBy(asked::join).hasCauseInstanceOf(LockException.class).hasMessageContaining("3.6 or newer");
        assertThat(granted).isEmpty();
        assertThat(tree.children(PATH)).isEmpty();
    }
}
