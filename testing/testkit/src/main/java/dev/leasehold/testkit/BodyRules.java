package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LockBusyException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Body rules concern code that runs under the lock, and never without it. */
interface BodyRules extends LeaseholdRules {

    @Test
    default void aBodyRunsUnderTheLockWhichIsFreeAfterwards() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient elsewhere = fixture().probe();
        AtomicBoolean ran = new AtomicBoolean();
        lock.run(lease -> {
            lease.ensureValid();
            assertThat(elsewhere.finds(name)).isFalse();
            ran.set(true);
        });
        assertThat(ran).isTrue();
        assertThat(lock.<String, RuntimeException>call(lease -> "result")).isEqualTo("result");
        assertThat(lock.<String, RuntimeException>callOrThrow(Duration.ofSeconds(1), lease -> "result"))
                .isEqualTo("result");
        assertThat(lock.<RuntimeException>tryRun(Duration.ZERO, lease -> {})).isTrue();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void whatABodyThrowsIsThrownAndTheLockIsFreeAfterwards() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        assertThatThrownBy(() -> lock.run(lease -> {
                    throw new IOException("planted");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("planted")
                .hasNoSuppressedExceptions();
        assertThatThrownBy(() -> lock.call(lease -> {
                    throw new StackOverflowError("planted");
                }))
                .isInstanceOf(StackOverflowError.class);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void aBodyThatEndsNormallyOnALostLeaseThrows() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient operator = fixture().probe();
        assertThatThrownBy(() -> lock.run(lease -> {
                    operator.breakLease(name, lease.token());
                    ClientFixture.eventually("it is lost", () -> !lease.isValid());
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(name);
    }

    @Test
    @DisplayName("A body that fails on a lost lease throws its own exception with the loss suppressed")
    default void aBodyThatFailsOnALostLeaseThrowsItsOwnException() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient operator = fixture().probe();
        assertThatThrownBy(() -> lock.call(lease -> {
                    operator.breakLease(name, lease.token());
                    ClientFixture.eventually("it is lost", () -> !lease.isValid());
                    throw new IOException("planted");
                }))
                .isInstanceOf(IOException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
    }

    @Test
    @DisplayName("A body is interrupted at a loss if that was asked for, and the interrupt does not outlive the body")
    default void aBodyIsInterruptedAtALossIfThatWasAskedFor() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name, ClientFixture.OPTIONS.withInterruptOnLoss(true));
        StoreClient operator = fixture().probe();
        assertThatThrownBy(() -> lock.run(lease -> {
                    fixture().inThread(() -> operator.breakLease(name, lease.token()));
                    new CountDownLatch(1).await();
                }))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    default void noBodyRunsOnABusyLock() throws Exception {
        String name = fixture().lock();
        fixture().probe().acquire(name);
        DistributedLock lock = fixture().client().lock(name);
        AtomicReference<String> ran = new AtomicReference<>("not run");
        assertThat(lock.<RuntimeException>tryRun(Duration.ofMillis(50), lease -> ran.set("run")))
                .isFalse();
        assertThatThrownBy(() -> lock.callOrThrow(Duration.ofMillis(50), lease -> ran.getAndSet("run")))
                .isInstanceOf(LockBusyException.class)
                .hasMessageContaining(name);
        assertThat(ran).hasValue("not run");
    }
}
