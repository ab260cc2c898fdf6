package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One holder is paused between its read and its write, and another one comes meanwhile: which update is lost. */
@Tag("slow")
class GuardedSetTest {

    private static final Optional<List<Integer>> EMPTY = Optional.of(List.of());

    /** The older one writes between the younger one's read and write. */
    private static GuardedSet.Counts between(GuardedSet set) {
        assertThat(set.open("older", 1)).isEqualTo(EMPTY);
        assertThat(set.open("younger", 2)).isEqualTo(EMPTY);
        set.write(1, List.of(), 10);
        set.write(2, List.of(), 20);
        return set.counts();
    }

    /** The older one writes after the younger one. */
    private static GuardedSet.Counts after(GuardedSet set) {
        assertThat(set.open("older", 1)).isEqualTo(EMPTY);
        assertThat(set.open("younger", 2)).isEqualTo(EMPTY);
        set.write(2, List.of(), 20);
        set.write(1, List.of(), 10);
        return set.counts();
    }

    @Test
    void withoutTokensAnUpdateIsLostEitherWay() {
        assertThat(between(new GuardedSet(Guard.UNGUARDED))).isEqualTo(new GuardedSet.Counts(2, 1, 0, 0, 0));
        assertThat(after(new GuardedSet(Guard.UNGUARDED))).isEqualTo(new GuardedSet.Counts(2, 1, 0, 0, 0));
    }

    @Test
    void tokensAtWritesRefuseOnlyWhatComesAfter() {
        assertThat(between(new GuardedSet(Guard.WRITES))).isEqualTo(new GuardedSet.Counts(2, 1, 0, 0, 0));
        assertThat(after(new GuardedSet(Guard.WRITES))).isEqualTo(new GuardedSet.Counts(1, 0, 1, 0, 0));
    }

    @Test
    void registeredTokensLoseNothing() {
        assertThat(between(new GuardedSet(Guard.REGISTERED))).isEqualTo(new GuardedSet.Counts(1, 0, 1, 0, 0));
        assertThat(after(new GuardedSet(Guard.REGISTERED))).isEqualTo(new GuardedSet.Counts(1, 0, 1, 0, 0));
    }

    @Test
    void aWriterIsRefusedBelowAReaderAndAReaderBelowAWriter() {
        GuardedSet set = new GuardedSet(Guard.REGISTERED);
        set.open("writer", 1);
        assertThat(set.look(3)).isEqualTo(EMPTY);
        assertThat(set.look(2)).isEqualTo(EMPTY);
        assertThat(set.write(1, List.of(), 10)).isFalse();
        assertThat(set.open("writer", 2)).isEmpty();
        assertThat(set.open("writer", 4)).isEqualTo(EMPTY);
        assertThat(set.look(3)).isEmpty();
    }
}
