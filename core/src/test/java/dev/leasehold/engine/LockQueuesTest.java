package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.engine.queue.Event;
import dev.leasehold.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** These tests are about the queues of a client's locks. */
class LockQueuesTest {

    private final List<String> made = new ArrayList<>();
    private final List<String> got = new ArrayList<>();
    private final LockQueues queues = new LockQueues((lock, share) -> {
        String name = lock + " " + share;
        made.add(name);
        return event -> got.add(name);
    });

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
}
