package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Exclusion rules say that a lock has one holder at a time, with greater and greater tokens, no matter which client
 * asks.
 */
interface ExclusionRules extends LeaseholdRules {

    @Test
    @DisplayName("One at a time holds a lock that many threads of many clients want")
    default void oneAtATimeHoldsALockThatManyThreadsWant() throws Exception {
        Contenders contenders = new Contenders(fixture(), fixture().lock());
        List<HoldRecord> history = contenders.run(
                List.of(fixture().client(), fixture().client(), fixture().client()), 3, 15);
        assertThat(history).hasSize(3 * 3 * 15).allMatch(record -> record.end() == HoldRecord.End.RELEASED);
        assertThat(contenders.countIsExact()).isTrue();
        HistoryChecker.of(Duration.ofMillis(500))
                .withProgress(ClientFixture.LONGEST_WAIT)
                .check(history);
    }

    @Test
    default void oneAtATimeHoldsALockThatManyThreadsOfOneClientWant() throws Exception {
        Contenders contenders = new Contenders(fixture(), fixture().lock());
        List<HoldRecord> history = contenders.run(List.of(fixture().client()), 8, 50);
        assertThat(history).hasSize(8 * 50).allMatch(record -> record.end() == HoldRecord.End.RELEASED);
        assertThat(contenders.countIsExact()).isTrue();
        HistoryChecker.of(Duration.ofMillis(500))
                .withProgress(ClientFixture.LONGEST_WAIT)
                .check(history);
    }

    @Test
    default void oneAtATimeAlsoWithoutLocalHandOvers() throws Exception {
        Contenders contenders = new Contenders(fixture(), fixture().lock());
        List<Leasehold> clients = List.of(
                fixture().client(builder -> builder.localHandOvers(0)),
                fixture().client(builder -> builder.localHandOvers(1)));
        List<HoldRecord> history = contenders.run(clients, 3, 15);
        assertThat(history).hasSize(2 * 3 * 15).allMatch(record -> record.end() == HoldRecord.End.RELEASED);
        assertThat(contenders.countIsExact()).isTrue();
        HistoryChecker.of(Duration.ofMillis(500)).check(history);
    }
}
