package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events are read as they were written. */
class EventTest {

    private static final List<Event> ALL = List.of(
            new Event.Asked(1, "c/0", 1, "a lock/ü", 2),
            new Event.Granted(2, "c/0", 1, 77, -1, 99),
            new Event.Renewed(3, "c/0", 1, 120),
            new Event.AtRisk(4, "c/0", 1),
            new Event.Lost(5, "c/0", 1),
            new Event.Released(6, "c/0", 1, 5, 120, false),
            new Event.Withdrawn(7, "c/1", 2, "failed: no\nserver"),
            new Event.Struck(8, "server", "server stop"),
            new Event.Healed(9, "server", "server stop"),
            new Event.Away(10, "servers [0, 2]", true, 12));

    @Test
    void everyEventIsReadAsItWasWritten() {
        assertThat(ALL)
                .allSatisfy(event -> assertThat(Event.parse(event.toLine())).isEqualTo(event));
    }

    @Test
    void whatIsNoEventIsRefused() {
        assertThatThrownBy(() -> Event.parse("granted 2 c%2F0 1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Event.parse("found 2 c%2F0")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLineThatAKilledProcessCutShortIsLeftOut(@TempDir Path directory) throws Exception {
        try (History history = History.open(directory, "c")) {
            ALL.subList(0, 3).forEach(history::add);
        }
        Path log = directory.resolve("c.log");
        // "renewed … 120" cut to "renewed … 12" would be another event.
        Files.writeString(log, Files.readString(log).stripTrailing().replaceAll("0$", ""));
        assertThat(History.read(directory)).isEqualTo(ALL.subList(0, 2));
    }
}
