package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

/** These tests show how a term ends for those who work in it. */
class OfficeTest {

    interface Body {
        void run() throws Exception;
    }

    static class Job {

        @LeaderOnly(value = "job", onFollower = OnBusy.THROW)
        public boolean run(Body body) throws Exception {
            body.run();
            return true;
        }

        @LeaderOnly("job")
        public void nested(Job job, Body body) throws Exception {
            job.run(body);
        }
    }

    static class Listener {

        static volatile CountDownLatch end = new CountDownLatch(1);
        static final List<String> SEEN = new CopyOnWriteArrayList<>();
        static volatile boolean blocks;

        @EventListener
        public void on(ElectedEvent event) throws InterruptedException {
            SEEN.add("elected");
            if (blocks) {
                end.await();
            }
        }

        @EventListener
        public void on(DemotedEvent event) {
            SEEN.add("demoted");
        }
    }

    private AnnotationConfigApplicationContext context;
    private Job job;

    @BeforeEach
    void start() {
        Listener.blocks = false;
        Listener.end = new CountDownLatch(1);
        Listener.SEEN.clear();
    }

    private void begin() {
        context = new AnnotationConfigApplicationContext(LocksInMemory.class, Job.class, Listener.class, Skipped.class);
        job = context.getBean(Job.class);
        await().ignoreExceptions().until(() -> job.run(() -> {}));
    }

    @AfterEach
    void stop() {
        Listener.end.countDown();
        context.close();
    }

    private boolean resign() {
        return context.getBean(Elections.class).election("job").resign();
    }

    private CompletableFuture<Boolean> work(Body body) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(job.run(body));
                    } catch (Exception e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result;
    }

    /** The interrupt stood in line behind it. */
    @Test
    void aBlockingListenerDoesNotDelayTheInterrupt() throws Exception {
        Listener.blocks = true;
        begin();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> work = work(() -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(resign()).isTrue();
        assertThatThrownBy(() -> work.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(Listener.SEEN).containsExactly("elected");
    }

    /** It stayed on the thread, and ended whatever came next. */
    @Test
    void theInterruptDoesNotOutliveTheWork() throws Exception {
        begin();
        assertThatThrownBy(() -> job.run(() -> {
                    resign();
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anInterruptedWorkFailsWithTheLoss() {
        begin();
        assertThatThrownBy(() -> job.run(() -> {
                    resign();
                    new CountDownLatch(1).await();
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theEndIsNotHiddenByTheWorksException() {
        begin();
        assertThatThrownBy(() -> job.run(() -> {
                    resign();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("wrapped", e);
                    }
                }))
                .isInstanceOf(LeaseLostException.class)
                .cause()
                .hasMessage("wrapped");
    }

    @Test
    void nestedWorkIsInterruptedAsOne() {
        begin();
        assertThatThrownBy(() -> job.nested(job, () -> {
                    resign();
                    new CountDownLatch(1).await();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theOfficeIsHeldAgainAfterATerm() {
        begin();
        assertThat(resign()).isTrue();
        await().until(() -> Listener.SEEN.equals(List.of("elected", "demoted", "elected")));
        await().ignoreExceptions().until(() -> job.run(() -> {}));
    }

    /** All terms were awaited on the client's threads for callbacks, where a wait keeps the answers of others. */
    @Test
    void nobodyWaitsOnThreadsForCallbacks() throws Exception {
        begin();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> work = work(() -> {
            begun.countDown();
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // Goes on.
                }
            }
        });
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        resign();
        await().until(() -> isParkedIn("Office", "leasehold-leader-job"));
        assertThat(isParkedIn("Office", "leasehold-callback")).isFalse();
        end.countDown();
        assertThatThrownBy(work::get).hasCauseInstanceOf(LeaseLostException.class);
    }

    private static boolean isParkedIn(String type, String threads) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().startsWith(threads))
                .flatMap(entry -> java.util.Arrays.stream(entry.getValue()))
                .anyMatch(frame -> frame.getClassName().endsWith("." + type));
    }

    /** No line of a log told who led, at any level. */
    @Test
    void theLogTellsWhoLeadsAndWhatIsSkipped() {
        LogLines log = new LogLines("dev.leasehold", Level.FINE);
        try {
            begin();
            Skipped skipped = context.getBean(Skipped.class);
            skipped.lock(skipped);
            assertThat(resign()).isTrue();
            await().until(() -> log.lines.stream().anyMatch(line -> line.contains("leads 'job' no longer")));
            context.getBean(Elections.class).stop();
            skipped.lead();
        } finally {
            log.close();
        }
        assertThat(log.lines)
                .anyMatch(line -> line.matches("INFO this process leads 'job', with token \\d+"))
                .anyMatch(line -> line.matches("INFO this process leads 'job' no longer .*: it has resigned"))
                .anyMatch(line -> line.equals("FINE Skipped.lock was skipped: the lock 'skipped' is taken"))
                .anyMatch(line -> line.equals("FINE Skipped.lead was skipped: this instance does not lead 'job'"));
    }

    static class Skipped {

        @Locked(name = "skipped", onBusy = OnBusy.SKIP)
        public void lock(Skipped again) {
            again.lock(again);
        }

        @LeaderOnly("job")
        public void lead() {}
    }

    /** A misspelt office made a candidate for it. */
    @Test
    void anUnknownOfficeIsRefused() {
        begin();
        Elections elections = context.getBean(Elections.class);
        assertThatThrownBy(() -> elections.isLeader("jbo"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jbo")
                .hasMessageContaining("[job]");
        assertThat(elections.offices()).containsExactly("job");
    }

    @Test
    void theEndOfTheContextLeavesNoThread() {
        begin();
        try (Leasehold unused = context.getBean(Leasehold.class)) {
            context.close();
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("leasehold-leader-job")));
    }
}
