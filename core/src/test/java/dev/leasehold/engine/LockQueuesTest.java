package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.leasehold.engine.queue.Event;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** These tests are about the queues of a client's locks. */
class LockQueuesTest {

    private final List<String> made = new ArrayList<>();
    private final List<String> got = new ArrayList<>();
    private final List<String> gone = new ArrayList<>();
    private final LockQueues queues = new LockQueues((lock, share) -> {
        String name = lock + " " + share;
        made.add(name);
        return new Queue(name, share);
    });

    private final class Queue implements LockQueues.Inbox {
        private final String name;
        private final int share;

        Queue(String name, int share) {
            this.name = name;
            this.share = share;
        }

        @Override
        public int share() {
            return share;
        }

        @Override
        public boolean post(Event event) {
            return !gone.remove(name) && got.add(name);
        }
    }

    @Test
    void eachNameAndShareHasAQueueOfItsOwn() {
        List<String> all = new ArrayList<>();
        for (String lock : List.of("a", "b", "a")) {
            for (int share : new int[] {Claim.EXCLUSIVE, 2, 3, Claim.UNLIMITED}) {
                queues.post(lock, share, new Event.Look());
                all.add(lock + " " + share);
            }
        }
        assertThat(got).isEqualTo(all);
        assertThat(made).isEqualTo(all.subList(0, 8));
    }

    @Test
    void eventsForOneNameGoToItsQueuesOnly() {
        for (String lock : List.of("a", "b", "c")) {
            for (int share : new int[] {Claim.EXCLUSIVE, 2, Claim.UNLIMITED}) {
                queues.post(lock, share, new Event.Look());
            }
        }
        got.clear();
        queues.tell("b", new Event.Look());
        queues.tell("d", new Event.Look());
        assertThat(got).containsExactly("b 1", "b 2", "b " + Claim.UNLIMITED);
    }

    @Test
    void aQueueThatIsGoneIsMadeAnewAndOthersStay() {
        for (int share : new int[] {Claim.EXCLUSIVE, 2, 3}) {
            queues.post("a", share, new Event.Look());
        }
        made.clear();
        got.clear();
        gone.add("a 2");
        queues.post("a", 2, new Event.Look());
        queues.tell("a", new Event.Look());
        assertThat(made).containsExactly("a 2");
        assertThat(got).containsExactly("a 2", "a 1", "a 3", "a 2");
    }

    @Test
    void oneNameDoesNotWalkOverTheQueuesOfOthers() {
        for (int i = 0; i < 100_000; i++) {
            queues.post("shared-" + i, Claim.UNLIMITED, new Event.Look());
        }
        got.clear();
        // A walk at each takes minutes.
        assertTimeoutPreemptively(Duration.ofSeconds(A_MINUTE), () -> {
            for (int i = 0; i < 200_000; i++) {
                queues.tell("mutex", new Event.Look());
            }
        });
        assertThat(got).isEmpty();
    }
}
