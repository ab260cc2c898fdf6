package dev.leasehold.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show which slots are given, by the table and the nodes before a permit. */
@Tag("slow")
class SlotTableTest {

    private static final SlotTable EMPTY = new SlotTable(Map.of(), 0);

    private static Place.Node permit(int number) {
        return node(5, number);
    }

    private static Place.Node node(int share, int number) {
        return new Place.Node(NodeName.prefix(new ClaimId("c", number), share) + String.format("%010d", number), share);
    }

    private static Place.Node kept(int share, int slot) {
        return new Place.Node(NodeName.kept(64, share, slot), share);
    }

    @Test
    void thoseBeforeAreGivenSlotsFirst() {
        SlotTable table = EMPTY.giving(List.of(permit(1), permit(2)), permit(3));
        assertThat(table.of(permit(1).name())).isZero();
        assertThat(table.of(permit(2).name())).isEqualTo(1);
        assertThat(table.of(permit(3).name())).isEqualTo(2);
    }

    @Test
    void whatWasGivenStaysAndTheSmallestFreeSlotIsNext() {
        SlotTable before = EMPTY.giving(List.of(permit(1), permit(2)), permit(3));
        SlotTable table = before.giving(List.of(permit(1), permit(3)), permit(4));
        assertThat(table.slots())
                .isEqualTo(Map.of(
                        permit(1).name(), 0, permit(3).name(), 2, permit(4).name(), 1));
    }

    @Test
    void aKeptSlotIsTakenAndReadersHaveNone() {
        SlotTable table = EMPTY.giving(List.of(kept(5, 0), node(Claim.UNLIMITED, 1)), permit(2));
        assertThat(table.slots()).isEqualTo(Map.of(permit(2).name(), 1));
        assertThat(table.of(kept(5, 0).name())).isEqualTo(Grant.NO_SLOT);
    }

    @Test
    void aTableIsReadAsItWasWrittenAndAnythingElseIsNone() {
        SlotTable table = EMPTY.giving(List.of(permit(1), permit(2)), permit(3));
        assertThat(SlotTable.read(table.bytes(), 7)).isEqualTo(new SlotTable(table.slots(), 7));
        for (String other : List.of("", "1-c-1-0000000001", "some words of somebody", "99999 c\n")) {
            assertThat(SlotTable.read(other.getBytes(UTF_8), 1).slots()).isEmpty();
        }
        assertThat(SlotTable.read(null, 0)).isEqualTo(EMPTY);
    }
}
