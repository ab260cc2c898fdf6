package dev.leasehold.zookeeper;

import static dev.leasehold.testtools.Findings.codes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.testtools.Findings;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show what an examination says of a real server. */
@Tag("slow")
class DoctorTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    @Test
    void oneServerIsNamedSuchAndWhatIsFineIsSaid() throws Exception {
        Examination seen =
                Findings.examine("zookeeper://me:s3cret@127.0.0.1:" + ZOO.get().port());
        assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
        assertThat(codes(seen, Severity.WARNING)).containsExactly("zookeeper-one-server");
        assertThat(codes(seen, Severity.FINE))
                .contains("zookeeper-session", "zookeeper-version", "zookeeper-closed", "trial");
        assertThat(seen.findings())
                .allSatisfy(finding -> assertThat(finding.toString()).doesNotContain("s3cret"));
        assertThat(seen.verdict()).contains("the loss of the only server's disk");
    }

    @Test
    @DisplayName("Another session timeout an open server and a missing one are named")
    void aTimeoutAnOpenServerAndAMissingOneAreNamed() throws Exception {
        Examination seen = Findings.examine(
                "zookeeper://127.0.0.1:" + ZOO.get().port() + ",127.0.0.1:1?leasehold.sessionTimeout=300");
        assertThat(codes(seen, Severity.NOTE)).contains("zookeeper-session-other", "zookeeper-open");
        assertThat(codes(seen, Severity.WARNING)).contains("zookeeper-server-unreached");
        assertThat(seen.findings().stream().map(Finding::what))
                .contains("sessions end after 1000 ms, where 300 ms were asked for");
    }

    @Test
    void whereNothingIsReachedThereIsNoExamination() {
        assertThatThrownBy(() -> Findings.examine("zookeeper://127.0.0.1:1?leasehold.storeTimeout=400"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing was sent");
    }

    @Test
    void versionsAreCompared() {
        assertThat(ServerStatus.of("Zookeeper version: 3.9.5-5b7f, built on\nMode: follower\n"))
                .isEqualTo(new ServerStatus("3.9.5", "follower"));
        assertThat(new ServerStatus("3.5.10", "").isOld()).isTrue();
        assertThat(new ServerStatus("3.10.0", "").isOld()).isFalse();
        assertThat(ServerStatus.of("srvr is not executed because it is not in the whitelist."))
                .isEqualTo(new ServerStatus("", ""));
    }
}
