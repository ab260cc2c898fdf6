package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseSet;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Sets that are given back although all their names were obtained. */
class LockSetEndsTest {

    /** Renewals are carried out when the test wants it. */
    private static final class Renewals extends WrappedStore {

        private final List<Runnable> asked = new CopyOnWriteArrayList<>();

        @Override
        CompletionStage<RenewAnswer> renew(Store store, LeaseId lease, Duration duration) {
            CompletableFuture<RenewAnswer> answer = new CompletableFuture<>();
            asked.add(() -> store.renew(lease, duration).thenAccept(answer::complete));
            return answer;
        }
    }

    private static final LockOptions UNRENEWED = LockOptions.defaults().withAutoRenew(false);

    private final BlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();
    private final Renewals store = new Renewals();
    private final Leasehold client =
            Leasehold.builder().store(store).executor(callbacks::add).build();

    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    /** Runs the tasks of the users' executor, whichever thread adds them, until a condition holds. */
    private void runCallbacksUntil(Condition condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(A_MINUTE);
        while (!condition.holds()) {
            assertThat(System.nanoTime() - end).isNegative();
            Runnable next = callbacks.poll(10, TimeUnit.MILLISECONDS);
            if (next != null) {
                next.run();
            }
        }
    }

    private void assertThatNothingIsHeld() throws InterruptedException {
        runCallbacksUntil(() -> client.info("a").isEmpty() && client.info("b").isEmpty());
        client.close();
    }

    /** The users' executor has not delivered it. */
    @Test
    void aSetThatIsCancelledBeforeItIsDeliveredIsGivenBack() throws Exception {
        CompletableFuture<LeaseSet> set = client.lockAll("a", "b").acquireAsync();
        assertThat(client.info("b")).isPresent();
        assertThat(set.cancel(false)).isTrue();
        assertThatNothingIsHeld();
    }

    /** Its names are free at once, whatever its users' executor does. */
    @Test
    void aSetThatNobodyGetsIsNotKept() throws Exception {
        LockOptions nightly = LockOptions.defaults().withMinHold(Duration.ofMinutes(10));
        CompletableFuture<LeaseSet> set =
                client.lockAll("a", "b").withOptions(nightly).acquireAsync();
        while (callbacks.isEmpty()) {
            store.asked.forEach(Runnable::run);
        }
        assertThat(set.cancel(false)).isTrue();
        await().until(() -> client.info("a").isEmpty() && client.info("b").isEmpty());
        assertThatNothingIsHeld();
    }

    /** A set that is not renewed has its leases confirmed in full first. */
    @Test
    void aSetThatIsCancelledWhileItIsConfirmedIsGivenBack() throws Exception {
        CompletableFuture<LeaseSet> set =
                client.lockAll("a", "b").withOptions(UNRENEWED).acquireAsync();
        // Twice two where the machine is slow: what is not answered is asked again after a tenth of a second.
        assertThat(store.asked).hasSizeGreaterThanOrEqualTo(2);
        assertThat(set.cancel(false)).isTrue();
        store.asked.forEach(Runnable::run);
        assertThatNothingIsHeld();
    }

    /** The second that each of its leases would wait for a silent store is one for all. */
    @Test
    void aBodysSetIsGivenBackByOneLimit() throws Exception {
        WrappedStore silent = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store real, LeaseId lease, Duration keepFor) {
                return new CompletableFuture<>();
            }
        };
        Leasehold waiting = Leasehold.builder().store(silent).build();
        // Bound: one second after the other would be three in each of the tries, and load only makes one last longer.
        await().pollInSameThread().until(() -> {
            String name = UUID.randomUUID().toString();
            long[] begun = {0};
            waiting.lockAll(name + "a", name + "b", name + "c").run(set -> begun[0] = System.nanoTime());
            return System.nanoTime() - begun[0] < TimeUnit.SECONDS.toNanos(2);
        });
        waiting.close(Duration.ZERO);
        client.close();
    }

    /** A name that is lost in the last step is asked for again, as one that is lost before. */
    @Test
    void aSetThatIsNotConfirmedIsAskedForAgain() throws Exception {
        CompletableFuture<LeaseSet> set = client.lockAll("a", "b")
                .withOptions(UNRENEWED.withLeaseDuration(Duration.ofMinutes(10)))
                .acquireAsync();
        long token = client.info("a").orElseThrow().holder().token();
        assertThat(client.breakLock("a", token)).isTrue();
        runCallbacksUntil(() -> {
            store.asked.forEach(Runnable::run);
            return set.isDone();
        });
        assertThat(set.join().token("a")).isGreaterThan(token);
        set.join().release();
        assertThatNothingIsHeld();
    }
}
