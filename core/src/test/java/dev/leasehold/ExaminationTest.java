package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.engine.WrappedStore;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.Trial;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** These tests show what every store's examination does: it tries a lock. */
class ExaminationTest {

    private static Examination examine(WrappedStore store) throws InterruptedException {
        try (Leasehold client = Leasehold.builder()
                .store(store)
                .storeTimeout(Duration.ofSeconds(2))
                .build()) {
            Examination seen = client.examine();
            assertThat(client.locks("*")).isEmpty();
            return seen;
        }
    }

    @Test
    void aLockIsTakenAndGivenBack() throws Exception {
        Examination seen = examine(new WrappedStore());

        assertThat(seen.findings()).hasSize(1);
        assertThat(seen.findings().get(0).code()).isEqualTo("trial");
        assertThat(seen.findings().get(0).what()).startsWith("a lock was taken, renewed and released");
        assertThat(seen.worst()).isEqualTo(Severity.FINE);
    }

    @Test
    void whatATrialCouldNotFinishIsWithdrawn() throws Exception {
        Examination seen = examine(new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
                return super.claim(store, claim).thenCompose(answer -> CompletableFuture.failedFuture(refused()));
            }
        });

        assertThat(seen.findings().get(0).code()).isEqualTo("trial-failed");
        assertThat(seen.findings().get(0).what()).contains("the answer was lost");
        assertThat(seen.verdict()).startsWith("Do not rely on locks here");
    }

    @Test
    void aLockThatIsGoneAMomentLaterIsSerious() throws Exception {
        Examination seen = examine(new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store store, LeaseId lease, Duration keepFor) {
                return super.release(store, lease, keepFor).thenApply(answer -> ReleaseAnswer.NOT_HELD);
            }
        });

        assertThat(seen.worst()).isEqualTo(Severity.SERIOUS);
    }

    @Test
    void aBusyTrialIsNoFault() throws Exception {
        WrappedStore store = new WrappedStore();
        try (Leasehold client = Leasehold.builder().store(store).build();
                var held = client.lock(Trial.LOCK).acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThat(client.examine().findings().get(0).what()).contains("was busy");
        }
    }

    @Test
    void theVerdictNamesEachFaultOnceAndTheWorstComesFirst() {
        Finding note = Finding.of(Severity.NOTE, "n", "a", "n").fencedOnlyAfter("a restart");
        Finding warning = Finding.of(Severity.WARNING, "w", "b", "w").fencedOnlyAfter("a restart");
        Finding other = Finding.of(Severity.NOTE, "o", "b", "o").fencedOnlyAfter("a flood");
        Examination seen = new Examination(List.of(note, warning, other));

        assertThat(seen.findings()).containsExactly(warning, note, other);
        assertThat(seen.verdict()).contains("except after: a restart; a flood. Then locks are fenced only");
        assertThat(new Examination(List.of()).verdict()).contains("under every fault that was looked for");
    }

    private static LockException refused() {
        return new LockException("the answer was lost");
    }
}
