package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The servers say nothing. The store's time-out is five seconds. */
@Tag("slow")
class UnansweredRequestsTest extends OneScriptedClient {

    private CompletableFuture<ClaimAnswer> claim() {
        return store.claim(new Claim(new ClaimId("c", 1), "l", Claim.EXCLUSIVE, Duration.ofMinutes(10), true))
                .toCompletableFuture();
    }

    private static <T extends Throwable> T failure(CompletableFuture<?> answer, Class<T> type) {
        return type.cast(answer.handle((value, failure) -> failure).join());
    }

    @Test
    void aRequestIsGivenUpBeforeItsCaller() {
        CompletableFuture<ClaimAnswer> answer = claim();
        time.advance(Duration.ofMillis(4_749));
        assertThat(answer).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(answer).isDone();
        StoreUnavailableException failure = failure(answer, StoreUnavailableException.class);
        assertThat(failure).hasMessageContaining("did not answer the claim of 'l' in time");
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void closingFailsWhatIsUnderWay() {
        CompletableFuture<ClaimAnswer> answer = claim();
        store.close();
        assertThat(answer).isDone();
        assertThat(failure(answer, LockException.class)).hasMessageContaining("has been closed by this client");
    }

    @Test
    void afterCloseEverythingFails() {
        store.close();
        CompletableFuture<ClaimAnswer> answer = claim();
        assertThat(answer).isDone();
        assertThat(failure(answer, LockException.class)).hasMessageContaining("has been closed by this client");
    }
}
