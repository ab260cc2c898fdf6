package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about bodies that end with a stage, when messages are lost, leases too, and futures end early. */
class AsyncBodyTest {

    private static final Duration NOW = Duration.ZERO;

    private final TestLeasehold locks = TestLeasehold.create();
    private final DistributedLock lock = locks.leasehold().lock("x");
    private final CompletableFuture<String> work = new CompletableFuture<>();
    private final AtomicReference<Lease> given = new AtomicReference<>();

    @AfterEach
    void close() {
        locks.close();
    }

    private CompletionStage<String> begin(Lease lease) {
        given.set(lease);
        return work;
    }

    private Lease held() {
        locks.advance(NOW);
        Lease lease = given.get();
        assertThat(lease).as("the body was called").isNotNull();
        return lease;
    }

    @Test
    void theResultWaitsForTheReleaseForOneSecondAtMost() throws Exception {
        CompletableFuture<String> result = lock.callAsync(this::begin);
        held();
        locks.storeDown();
        work.complete("done");
        locks.advance(Duration.ofMillis(900));
        assertThat(result).isNotDone();
        locks.advance(Duration.ofMillis(200));
        assertThat(result.get()).isEqualTo("done");
    }

    @Test
    void aNullResultIsAResult() throws Exception {
        CompletableFuture<Void> result = lock.callAsync(lease -> CompletableFuture.<Void>completedFuture(null));
        locks.advance(NOW);
        assertThat(result.get()).isNull();
        assertThat(locks.isHeldHere("x")).isFalse();
    }

    @Test
    void theLeaseIsRenewedWhileTheStageIsAtWork() throws Exception {
        CompletableFuture<String> result = lock.callAsync(this::begin);
        held();
        locks.advance(Duration.ofMinutes(10));
        assertThat(held().isValid()).isTrue();
        work.complete("done");
        locks.advance(NOW);
        assertThat(result.get()).isEqualTo("done");
    }

    @Test
    void aStoreThatIsDownFailsTheCall() {
        locks.storeDown();
        CompletableFuture<String> result = lock.callAsync(this::begin);
        locks.advance(Duration.ofMinutes(1));
        assertThatThrownBy(result::get).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(given).hasValue(null);
    }

    @Test
    void aBodyThatReturnsNoStageFailsAndReleases() {
        CompletableFuture<String> result = lock.callAsync(lease -> null);
        locks.advance(NOW);
        assertThatThrownBy(result::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("stage");
        assertThat(locks.isHeldHere("x")).isFalse();
    }

    @Test
    void aFailureOnALostLeaseHasTheLossSuppressed() {
        CompletableFuture<String> result = lock.callAsync(this::begin);
        held();
        locks.lose("x");
        work.completeExceptionally(new IOException("planted"));
        locks.advance(NOW);
        assertThatThrownBy(result::get)
                .cause()
                .isInstanceOf(IOException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
    }

    @Test
    @DisplayName("A call that is cancelled after the grant and before the body is called gives the lease back unused")
    void aCancelledCallDoesNotCallItsBody() {
        HeldElsewhere other = locks.holdElsewhere("x");
        CompletableFuture<String> result = locks.leasehold()
                .lock("x", LockOptions.defaults().withMinHold(Duration.ofMinutes(5)))
                .callAsync(this::begin);
        locks.advance(Duration.ofSeconds(1));
        result.cancel(true);
        other.release();
        locks.advance(NOW);
        assertThat(given).hasValue(null);
        assertThat(locks.isHeldHere("x")).isFalse();
        locks.holdElsewhere("x").release();
    }

    @Test
    void workGoesOnUnderTheLockThoughItsResultIsCancelled() {
        CompletableFuture<String> result = lock.callAsync(this::begin);
        held();
        result.cancel(true);
        locks.advance(NOW);
        assertThat(work).isNotDone();
        assertThat(locks.isHeldHere("x")).isTrue();
        work.complete("done");
        locks.advance(NOW);
        assertThat(locks.isHeldHere("x")).isFalse();
    }

    @Test
    void withoutTheOptionALossDoesNotCancelTheStage() {
        CompletableFuture<String> result = lock.callAsync(this::begin);
        held();
        locks.lose("x");
        assertThat(work).isNotDone();
        work.complete("done");
        locks.advance(NOW);
        assertThatThrownBy(result::get).hasCauseInstanceOf(LeaseLostException.class);
    }
}
