package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Who holds by the order of the queue, and what is in a waiter's way. */
class PlaceTest {

    private static final int WRITER = Claim.EXCLUSIVE;
    private static final int READER = Claim.UNLIMITED;

    private static String node(int share, int number) {
        return NodeName.prefix(new ClaimId("c", number + 1), share) + String.format("%010d", number);
    }

    private static List<String> queue(int... shares) {
        List<String> queue = new ArrayList<>();
        for (int i = 0; i < shares.length; i++) {
            queue.add(node(shares[i], i));
        }
        return queue;
    }

    private static Place place(int share, int... before) {
        return new Place(queue(before), share);
    }

    @Test
    void aWriterHoldsAloneAndReadersTogether() {
        assertThat(place(WRITER).holds()).isTrue();
        assertThat(place(READER).holds()).isTrue();
        assertThat(place(READER, READER, READER).holds()).isTrue();
        assertThat(place(WRITER, READER).holds()).isFalse();
        assertThat(place(READER, WRITER).holds()).isFalse();
        assertThat(place(WRITER, WRITER).holds()).isFalse();
    }

    @Test
    void nobodyOvertakesAWriterThatWaits() {
        assertThat(place(READER, READER, WRITER).holds()).isFalse();
        assertThat(place(READER, READER, WRITER, READER).amongWaiters()).isEqualTo(3);
        assertThat(place(READER, WRITER, READER).amongWaiters()).isEqualTo(2);
        assertThat(place(WRITER, READER, READER).amongWaiters()).isEqualTo(1);
    }

    @Test
    void aReaderWaitsForTheNearestWriterAndAWriterForWhoIsBeforeIt() {
        assertThat(place(READER, WRITER, READER, WRITER, READER, READER).blocker())
                .isEqualTo(node(WRITER, 2));
        assertThat(place(WRITER, WRITER, READER, READER).blocker()).isEqualTo(node(READER, 2));
    }

    @Test
    void aKeptLockCountsWithTheShareOfItsLease() {
        assertThat(new Place(List.of(NodeName.kept(64, READER)), READER).holds())
                .isTrue();
        assertThat(new Place(List.of(NodeName.kept(64, READER)), WRITER).holds())
                .isFalse();
        assertThat(new Place(List.of(NodeName.kept(64, WRITER)), READER).holds())
                .isFalse();
        assertThat(new Place(List.of(NodeName.kept(64, WRITER), node(READER, 1)), READER).blocker())
                .isEqualTo(NodeName.kept(64, WRITER));
    }

    /**
     * Random arrivals, departures and kept leases: the holders by the order are those that the rule of admission, carried
     * out step by step, has let in; and who holds goes on holding.
     */
    @Test
    void theOrderAloneSaysWhoWasLetIn() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom chance = new SplittableRandom(seed);
            List<String> queue = new ArrayList<>();
            List<String> letIn = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                if (queue.isEmpty() || chance.nextInt(5) < 3) {
                    queue.add(node(chance.nextInt(3) == 0 ? WRITER : READER, step));
                } else {
                    String left = queue.remove(chance.nextInt(queue.size()));
                    if (letIn.remove(left) && chance.nextInt(4) == 0 && !NodeName.isKept(left)) {
                        String kept = NodeName.kept(step, NodeName.shareOf(left));
                        queue.add(0, kept);
                        letIn.add(kept);
                    }
                }
                letIn(queue, letIn);
                List<String> holders = queue.subList(0, Place.holders(queue));
                assertThat(holders).as("seed %s, step %s", seed, step).containsExactlyInAnyOrderElementsOf(letIn);
                for (int i = 0; i < queue.size(); i++) {
                    Place place = new Place(queue.subList(0, i), NodeName.shareOf(queue.get(i)));
                    assertThat(place.holds()).isEqualTo(letIn.contains(queue.get(i)));
                }
            }
        }
    }

    /** The rule of admission, word by word. */
    private static void letIn(List<String> queue, List<String> letIn) {
        for (String next : queue) {
            if (letIn.contains(next)) {
                continue;
            }
            int count = letIn.size() + 1;
            if (count > NodeName.shareOf(next) || letIn.stream().anyMatch(each -> count > NodeName.shareOf(each))) {
                return;
            }
            letIn.add(next);
        }
    }
}
