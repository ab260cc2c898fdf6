package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NamesTest {

    @Test
    @DisplayName("Every name becomes a path that ZooKeeper takes and can be read back")
    void everyNameBecomesAPathThatCanBeReadBack() {
        Random random = new Random(6);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = 1 + random.nextInt(12); n > 0; n--) {
                int point = random.nextInt(random.nextBoolean() ? 128 : 0x110000);
                text.appendCodePoint(point == 0 || (point >= 0xd800 && point < 0xe000) ? '/' : point);
            }
            String name = text.toString();
            PathUtils.validatePath(new Paths("/base", "ns").lock(name));
            assertThat(Paths.decode(Paths.encode(name))).isEqualTo(name);
        }
    }

    @Test
    void whatWasNotWrittenByUsIsNoName() {
        for (String foreign : List.of("%", "%2", "%zz", "a b", "%2f", ".", "é", "%C3")) {
            assertThat(Paths.decode(foreign)).as(foreign).isNull();
        }
    }

    @Test
    void aClaimIsRecognisedByItsNode() {
        ClaimId claim = new ClaimId("c-1-7.é/x", 12);
        NodeName name = NodeName.parse(NodeName.prefix(claim, Claim.EXCLUSIVE) + "0000000042");
        assertThat(name.sequence()).isEqualTo(42);
        assertThat(name.name()).startsWith(NodeName.prefix(claim, Claim.EXCLUSIVE));
        assertThat(NodeName.prefix(new ClaimId("c", 1), Claim.EXCLUSIVE))
                .isNotEqualTo(NodeName.prefix(new ClaimId("c-1", 1), Claim.EXCLUSIVE));
    }

    @Test
    void theNumberAfterTheGreatestIsBehindIt() {
        NodeName last = NodeName.parse("1-c-1-2147483647");
        NodeName next = NodeName.parse("1-c-2--2147483648");
        assertThat(last.isBefore(next)).isTrue();
        assertThat(next.isBefore(last)).isFalse();
        assertThat(last.isWorn()).isTrue();
        assertThat(next.isWorn()).isTrue();
        assertThat(NodeName.parse("1-c-3-0000000000").isWorn()).isFalse();
    }

    @Test
    void aNegativeNumberWithNineDigitsIsReadToo() {
        String minusOne = String.format("%010d", -1);
        assertThat(NodeName.claims(List.of("1-c-1-" + minusOne), "/l"))
                .containsExactly(new NodeName("1-c-1--000000001", -1));
    }

    @Test
    void nodesOfANewerLayoutAreRefusedAndOthersIgnored() {
        assertThat(NodeName.claims(List.of("1-c-1-0000000001", "1-keep-64", "readme", "_c_x-lock-0000000001"), "/l"))
                .containsExactly(new NodeName("1-c-1-0000000001", 1));
        assertThatThrownBy(() -> NodeName.claims(List.of("2-something"), "/l"))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("newer version");
    }

    /**
     * A library that knew no shares reads the names like this: it refuses a lock with such nodes, and ignores none of
     * them.
     */
    @Test
    void aLibraryThatKnowsNoReadersRefusesTheirNodes() {
        String reader = NodeName.prefix(new ClaimId("c", 1), Claim.UNLIMITED) + "0000000001";
        String permit = NodeName.prefix(new ClaimId("c", 1), 2) + "0000000002";
        List<String> all = List.of(
                reader,
                permit,
                NodeName.kept(64, Claim.UNLIMITED, Grant.NO_SLOT),
                NodeName.kept(64, 3, 2),
                NodeName.reading("1-c-1-0000000001"));
        for (String name : all) {
            assertThat(name).doesNotStartWith("1-").matches("[0-9]+-.*");
        }
        assertThat(NodeName.claims(all, "/l")).containsExactly(new NodeName(reader, 1), new NodeName(permit, 2));
        assertThat(NodeName.parse(permit).share()).isEqualTo(2);
        assertThat(NodeName.parse(reader).share()).isEqualTo(Claim.UNLIMITED);
        assertThat(NodeName.parse("1-c-1-0000000001").share()).isEqualTo(Claim.EXCLUSIVE);
    }

    /** A library that knew no shares has written such names. */
    @Test
    void anExclusiveClaimKeepsTheFirstLayout() {
        assertThat(NodeName.prefix(new ClaimId("c", 1), Claim.EXCLUSIVE)).isEqualTo("1-c-1-");
        assertThat(NodeName.kept(64, Claim.EXCLUSIVE, Grant.NO_SLOT)).isEqualTo("1-keep-64");
    }

    @Test
    void aKeptLocksNodeIsNoClaim() {
        for (long token : new long[] {1, 64, 2_147_483_647L, 1_234_567_890L, Long.MAX_VALUE}) {
            for (int share : new int[] {Claim.EXCLUSIVE, 2, 1024, Claim.UNLIMITED}) {
                int slot = Claim.hasSlots(share) ? share - 1 : Grant.NO_SLOT;
                String kept = NodeName.kept(token, share, slot);
                assertThat(NodeName.isKept(kept)).isTrue();
                assertThat(NodeName.keptSlot(kept)).isEqualTo(slot);
                assertThat(NodeName.shareOf(kept)).isEqualTo(share);
                assertThat(NodeName.claims(List.of(kept), "/l")).isEmpty();
            }
        }
    }

    @Test
    void tokensAreRefusedBeforeTheyOverflow() {
        long most = Long.MAX_VALUE >> 6;
        assertThat(Tokens.of(1, "l")).isEqualTo(64);
        assertThat(Tokens.of(most, "l") + Tokens.MOST_SPARE).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> Tokens.of(most + 1, "l")).isInstanceOf(LockException.class);
        assertThatThrownBy(() -> Tokens.of(-1, "l")).isInstanceOf(LockException.class);
    }

    @Test
    void aRunOfTokensEndsBeforeTheNextTransaction() {
        Claim claim = new Claim(new ClaimId("c", 1), "l", Duration.ofSeconds(1), Claim.MOST_SPARE, true);
        assertThat(Tokens.of(7, "l") + Tokens.spare(claim)).isLessThan(Tokens.of(8, "l"));
    }
}
