package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExaminationTextTest {

    private final Examination examination = new Examination(List.of(
            Finding.of(Severity.FINE, "fine", "node-1", "all is well"),
            Finding.of(Severity.FINE, "fine", "node-2", "all is well"),
            Finding.of(Severity.WARNING, "forgets", "node-2", "it \"forgets\"\u001b[2J")
                    .meaning("locks are granted twice ".repeat(8).strip(), "remember")
                    .fencedOnlyAfter("a restart")));

    @Test
    void peopleReadTheWorstFirstAndWhatIsTheSameOnce() {
        assertThat(ExaminationText.words("redis://x", examination))
                .isEqualTo(
                        """
                redis://x

                WARNING  it "forgets"\\u001b[2J [node-2]
                         locks are granted twice locks are granted twice locks are granted twice locks are granted
                         twice locks are granted twice locks are granted twice locks are granted twice locks are
                         granted twice
                         -> remember
                ok       all is well [node-1, node-2]

                """
                                + "A lock here has one holder at a time who may believe that he holds it, except after: a restart. Then\n"
                                + "locks are fenced only: two may believe it for a while, and their tokens tell them apart. Good enough\n"
                                + "to save double work; where two at once would do harm, have the resource refuse smaller tokens.\n");
    }

    @Test
    void programsReadTheShapeThatIsDocumented() {
        assertThat(ExaminationText.json("redis://x", examination))
                .startsWith("{\"store\":\"redis://x\",\"worst\":\"warning\",\"verdict\":\"A lock here")
                .contains("{\"severity\":\"warning\",\"code\":\"forgets\",\"node\":\"node-2\","
                        + "\"what\":\"it \\\"forgets\\\"\\u001b[2J\",\"consequence\":\"locks")
                .contains("\"remedy\":\"remember\",\"fencedOnlyAfter\":\"a restart\"},")
                .endsWith("{\"severity\":\"fine\",\"code\":\"fine\",\"node\":\"node-2\",\"what\":\"all is well\","
                        + "\"consequence\":\"\",\"remedy\":\"\",\"fencedOnlyAfter\":null}]}\n");
    }
}
