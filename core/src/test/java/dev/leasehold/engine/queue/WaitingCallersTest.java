package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import org.junit.jupiter.api.Test;

class WaitingCallersTest {

    private final WaitingCallers waiting = new WaitingCallers();

    private Caller add(boolean tries) {
        Caller caller = new Caller(LockOptions.defaults(), tries, null);
        waiting.add(caller, 5);
        return caller;
    }

    @Test
    void theFirstIsTheOneWhoCameFirst() {
        Caller a = add(false);
        Caller b = add(false);
        assertThat(waiting.first()).isSameAs(a);
        waiting.remove(a);
        assertThat(waiting.first()).isSameAs(b);
        waiting.remove(b);
        assertThat(waiting.first()).isNull();
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(a.joinedAt).isEqualTo(5);
    }

    @Test
    void thoseContentWithOneAnswerAreTakenOutInOrder() {
        Caller a = add(true);
        Caller b = add(false);
        Caller c = add(true);
        assertThat(waiting.removeTrying()).containsExactly(a, c);
        assertThat(waiting.removeTrying()).isEmpty();
        assertThat(waiting.first()).isSameAs(b);
        assertThat(waiting.size()).isEqualTo(1);
    }

    @Test
    void knowsWhetherAnyoneWouldStay() {
        Caller a = add(true);
        assertThat(waiting.staying()).isZero();
        Caller b = add(false);
        assertThat(waiting.staying()).isPositive();
        waiting.stopWaiting(b, 0);
        waiting.stopWaiting(b, 0);
        assertThat(waiting.staying()).isZero();
        waiting.remove(a);
        waiting.remove(a);
        assertThat(waiting.staying()).isZero();
        assertThat(waiting.removeTrying()).containsExactly(b);
    }

    @Test
    void whoHasLeftIsNotCounted() {
        Caller gone = add(true);
        Caller tired = add(false);
        waiting.remove(gone);
        assertThat(waiting.staying()).isPositive();
        waiting.stopWaiting(tired, 0);
        waiting.stopWaiting(tired, 0);
        add(false);
        assertThat(waiting.staying()).isPositive();
    }

    @Test
    void contentionIsKnownToThoseWhoWereThere() {
        Caller before = add(false);
        waiting.noteContention(waiting.lastNumber());
        Caller after = add(false);
        assertThat(waiting.knowsContention(before)).isTrue();
        assertThat(waiting.knowsContention(after)).isFalse();
    }

    @Test
    void allAreTakenOutInOrder() {
        Caller a = add(true);
        Caller b = add(false);
        assertThat(waiting.removeAll()).containsExactly(a, b);
        assertThat(waiting.isEmpty()).isTrue();
        add(false);
        assertThat(waiting.staying()).isPositive();
    }
}
