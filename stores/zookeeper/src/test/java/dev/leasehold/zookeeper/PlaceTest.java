package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show who holds by the order of the queue, and what is in a waiter's way. */
@Tag("slow")
class PlaceTest {

    private static final int WRITER = Claim.EXCLUSIVE;
    private static final int READER = Claim.UNLIMITED;

    private static Place.Node node(int share, int number) {
        String name = NodeName.prefix(new ClaimId("c", number + 1), share) + String.format("%010d", number);
        return new Place.Node(name, NodeName.shareOf(name));
    }

    private static Place.Node kept(int number, int share) {
        String name = NodeName.kept(number, share, Claim.hasSlots(share) ? 0 : Grant.NO_SLOT);
        return new Place.Node(name, NodeName.shareOf(name));
    }

    private static List<Place.Node> queue(int... shares) {
        List<Place.Node> queue = new ArrayList<>();
        for (int i = 0; i < shares.length; i++) {
            queue.add(node(shares[i], i));
        }
        return queue;
    }

    private static Place place(int share, int... before) {
        return new Place(queue(before), share);
    }

    private static String name(int share, int number) {
        return node(share, number).name();
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
    void asManyHoldAsTheSmallestShareOfAllSays() {
        assertThat(place(3, 3, 3).holds()).isTrue();
        assertThat(place(3, 3, 3, 3).holds()).isFalse();
        assertThat(place(5, 3, 5, 5).holds()).isFalse();
        assertThat(place(3, 5, 5, 5).holds()).isFalse();
        assertThat(place(5, 5, 3).holds()).isTrue();
        assertThat(place(READER, 2).holds()).isTrue();
        assertThat(place(READER, 2, READER).holds()).isFalse();
        assertThat(place(2, READER, READER).holds()).isFalse();
        assertThat(place(1024, 2, WRITER).amongWaiters()).isEqualTo(2);
    }

    @Test
    void nobodyOvertakesAWriterThatWaits() {
        assertThat(place(READER, READER, WRITER).holds()).isFalse();
        assertThat(place(READER, READER, WRITER, READER).amongWaiters()).isEqualTo(3);
        assertThat(place(READER, WRITER, READER).amongWaiters()).isEqualTo(2);
        assertThat(place(WRITER, READER, READER).amongWaiters()).isEqualTo(1);
    }

    @Test
    @DisplayName("A reader waits for the nearest writer, and a writer for the one before it")
    void aReaderWaitsForTheNearestWriter() {
        assertThat(place(READER, WRITER, READER, WRITER, READER, READER).watched())
                .containsExactly(name(WRITER, 2));
        assertThat(place(WRITER, WRITER, READER, READER).watched()).containsExactly(name(READER, 2));
        assertThat(place(WRITER, WRITER, 3, 3).watched()).containsExactly(name(3, 2));
    }

    @Test
    void asManyPermitsWatchAMutexAsFitBehindIt() {
        assertThat(place(2, WRITER).watched()).containsExactly(name(WRITER, 0));
        assertThat(place(2, WRITER, 2).watched()).containsExactly(name(WRITER, 0));
        assertThat(place(2, WRITER, 2, 2).watched()).containsExactly(name(2, 2));
        assertThat(place(READER, WRITER, 2, READER).watched()).containsExactly(name(READER, 2));
    }

    /** Readers that have seen no permit before them say nothing when they are let in. */
    @Test
    @DisplayName("The permit that does not fit behind readers watches the writer too")
    void aPermitBehindReadersWatchesTheWriterToo() {
        assertThat(place(2, WRITER, READER, READER).watch()).isEqualTo(Place.Watch.OBSTACLE);
        assertThat(place(2, WRITER, READER, READER).watched()).containsExactly(name(WRITER, 0));
        assertThat(place(2, WRITER, READER, READER, 2).watched()).containsExactly(name(2, 3));
    }

    @Test
    void theFirstThatWaitsWatchesAllHolders() {
        assertThat(place(2, 2, 2).watched()).containsExactly(name(2, 0), name(2, 1));
        assertThat(place(READER, 2, READER).watched()).containsExactly(name(2, 0), name(READER, 1));
        assertThat(place(2, 2, 2, 2).watch()).isEqualTo(Place.Watch.PREDECESSOR);
        assertThat(place(2, 2, 2, 2).watched()).containsExactly(name(2, 2));
    }

    @Test
    void onlyReadersAndWritersFollowAWriterWithoutALook() {
        assertThat(place(WRITER, 2).followsItsObstacle()).isTrue();
        assertThat(place(READER, WRITER, READER).followsItsObstacle()).isTrue();
        assertThat(place(READER, 2, WRITER, READER).followsItsObstacle()).isTrue();
        assertThat(place(READER, WRITER, 3).followsItsObstacle()).isFalse();
        assertThat(place(READER, 2, READER).followsItsObstacle()).isFalse();
        assertThat(place(2, WRITER).followsItsObstacle()).isFalse();
    }

    @Test
    void aKeptLockCountsWithTheShareOfItsLease() {
        assertThat(new Place(List.of(kept(64, READER)), READER).holds()).isTrue();
        assertThat(new Place(List.of(kept(64, READER)), WRITER).holds()).isFalse();
        assertThat(new Place(List.of(kept(64, WRITER)), READER).holds()).isFalse();
        assertThat(new Place(List.of(kept(64, 2), node(3, 1)), 3).holds()).isFalse();
        assertThat(new Place(List.of(kept(64, WRITER), node(READER, 1)), READER).watched())
                .containsExactly(kept(64, WRITER).name());
    }

    /**
     * Random arrivals, departures, downgrades and kept leases: the holders by the order are those that the rule of admission,
     * carried out step by step, has let in; and who holds goes on holding.
     */
    @Test
    void theOrderAloneSaysWhoWasLetIn() {
        int[] shares = {WRITER, WRITER, 2, 3, 3, 5, READER, READER};
        for (int seed = 0; seed < 600; seed++) {
            SplittableRandom chance = new SplittableRandom(seed);
            List<Place.Node> queue = new ArrayList<>();
            List<Place.Node> letIn = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                if (queue.isEmpty() || chance.nextInt(5) < 3) {
                    queue.add(node(shares[chance.nextInt(shares.length)], step));
                } else if (chance.nextInt(6) == 0 && queue.get(0).isExclusive()) {
                    Place.Node reader = new Place.Node(queue.get(0).name(), READER);
                    queue.set(0, reader);
                    letIn.remove(0);
                    letIn.add(0, reader);
                } else {
                    Place.Node left = queue.remove(chance.nextInt(queue.size()));
                    if (letIn.remove(left) && chance.nextInt(4) == 0 && !NodeName.isKept(left.name())) {
                        Place.Node kept = kept(step, left.share());
                        queue.add(0, kept);
                        letIn.add(kept);
                    }
                }
                letIn(queue, letIn);
                List<Place.Node> holders = queue.subList(0, Place.holders(queue));
                assertThat(holders).as("seed %s, step %s", seed, step).containsExactlyInAnyOrderElementsOf(letIn);
                for (int i = 0; i < queue.size(); i++) {
                    Place place = new Place(queue.subList(0, i), queue.get(i).share());
                    assertThat(place.holds()).isEqualTo(letIn.contains(queue.get(i)));
                }
            }
        }
    }

    /** Lets in by the rule of admission, word by word. */
    private static void letIn(List<Place.Node> queue, List<Place.Node> letIn) {
        for (Place.Node next : queue) {
            if (letIn.contains(next)) {
                continue;
            }
            int count = letIn.size() + 1;
            if (count > next.share() || letIn.stream().anyMatch(each -> count > each.share())) {
                return;
            }
            letIn.add(next);
        }
    }
}
