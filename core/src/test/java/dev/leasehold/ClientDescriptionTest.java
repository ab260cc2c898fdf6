package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.ClientDescription;
import java.util.List;
import org.junit.jupiter.api.Test;

/** These tests are about the text of a description, which clients of all versions read and write. */
class ClientDescriptionTest {

    @Test
    void theTextIsWhatClientsHaveAlwaysWritten() {
        assertThat(new ClientDescription("h1", 42, "").text()).isEqualTo("host=h1 pid=42");
        assertThat(new ClientDescription("h1", 42, "a b=c").text()).isEqualTo("host=h1 pid=42 label=a b=c");
        assertThat(new ClientDescription("", 0, "").text()).isEmpty();
    }

    @Test
    void whatIsWrittenIsRead() {
        for (ClientDescription each : List.of(
                new ClientDescription("h1", 42, ""),
                new ClientDescription("h1", 42, "with spaces, = and\nlines"),
                new ClientDescription("h1", 0, "x"),
                new ClientDescription("", 42, "label=x"),
                new ClientDescription("", 0, "x"),
                new ClientDescription("", 0, ""))) {
            assertThat(ClientDescription.parse(each.text())).isEqualTo(each);
        }
    }

    @Test
    void aTextOfAnotherFormIsAllLabel() {
        for (String other : List.of(
                "another client, not of Leasehold",
                "host= pid=x",
                "pid=99999999999999999999",
                "host=h1 pid=1 more",
                " ")) {
            assertThat(ClientDescription.parse(other)).isEqualTo(new ClientDescription("", 0, other));
        }
        assertThat(ClientDescription.parse("host=h2 pid=43 label=")).isEqualTo(new ClientDescription("h2", 43, ""));
    }
}
