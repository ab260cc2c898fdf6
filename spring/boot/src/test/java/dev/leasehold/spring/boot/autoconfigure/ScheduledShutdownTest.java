package dev.leasehold.spring.boot.autoconfigure;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.spring.CurrentLease;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.LockedTemplate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * These tests show what becomes of a scheduled job that runs when the application ends, as docs/spring.md says of
 * Spring's schedulers.
 */
@Tag("slow")
class ScheduledShutdownTest {

    private static final long ONCE = 3_600_000;

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    /** One run of a job: it begins, goes on until its end comes, and has a result. */
    static class Run {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        final CompletableFuture<String> result = new CompletableFuture<>();
        final AtomicInteger ticks = new AtomicInteger();
        volatile long closedAt;

        void work(LockedTemplate locks) {
            begun.countDown();
            try {
                end.await();
                result.complete(locks.<String, RuntimeException>execute("inner", Lease::name));
            } catch (InterruptedException e) {
                Lease lease = CurrentLease.get();
                result.complete("interrupted after " + (System.nanoTime() - closedAt) / 1_000_000 + " ms, "
                        + (lease.isValid() ? "valid" : "lost"));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }
    }

    public static class LockedJob {

        @Autowired
        private LockedTemplate locks;

        @Autowired
        private Run run;

        @Scheduled(fixedRate = ONCE)
        @Locked("job")
        public void job() {
            run.work(locks);
        }
    }

    public static class PlainJob {

        @Autowired
        private LockedTemplate locks;

        @Autowired
        private Run run;

        @Scheduled(fixedRate = ONCE)
        public void job() {
            run.work(locks);
        }
    }

    public static class Ticking {

        @Autowired
        private Run run;

        @Scheduled(fixedRate = 20)
        public void tick() {
            run.ticks.incrementAndGet();
        }
    }

    /** Ends the job once the clients are closed and the scheduler has begun one more run. */
    record Late(Run run) implements SmartLifecycle {

        @Override
        public void start() {}

        @Override
        public void stop() {
            int before = run.ticks.get();
            await().until(() -> run.ticks.get() > before);
            run.end.countDown();
        }

        @Override
        public boolean isRunning() {
            return run.end.getCount() > 0;
        }

        @Override
        public int getPhase() {
            return 0;
        }
    }

    private final Run run = new Run();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class,
                    TaskSchedulingAutoConfiguration.class,
                    LifecycleAutoConfiguration.class))
            .withPropertyValues(
                    "leasehold.store.type=memory",
                    "leasehold.shutdown.wait-time=1m",
                    "spring.lifecycle.timeout-per-shutdown-phase=2m")
            .withUserConfiguration(Scheduling.class)
            .withBean(Run.class, () -> run);

    private String resultOf(ApplicationContextRunner application) throws Exception {
        application.run(context ->
                assertThat(run.begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue());
        return run.result.get(A_MINUTE, TimeUnit.SECONDS);
    }

    private static void onItsOwnThread(Runnable task) {
        new Thread(task).start();
    }

    private ApplicationContextRunner endingSoonAfterClose(ApplicationContextRunner application) {
        return application.withBean(ApplicationListener.class, () -> (ApplicationListener<ContextClosedEvent>) event ->
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, ScheduledShutdownTest::onItsOwnThread)
                        .execute(run.end::countDown));
    }

    @Test
    void aJobGoesOnAndMayLockThoughTheContextCloses() throws Exception {
        assertThat(resultOf(endingSoonAfterClose(runner.withBean(PlainJob.class))))
                .isEqualTo("inner");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobUnderALockGoesOnWithVirtualThreadsToo(boolean virtual) throws Exception {
        assertThat(resultOf(endingSoonAfterClose(runner.withBean(LockedJob.class)
                        .withPropertyValues("spring.threads.virtual.enabled=" + virtual))))
                .isEqualTo("inner");
    }

    /** The scheduler's phase is over first, then the clients' wait time; both are the job's. */
    @Test
    void aJobThatIsTooLongIsInterruptedWithAValidLease() throws Exception {
        Duration phase = Duration.ofMillis(700);
        Duration wait = Duration.ofMillis(400);
        String result = resultOf(runner.withBean(LockedJob.class)
                .withBean(ApplicationListener.class, () ->
                        (ApplicationListener<ContextClosedEvent>) event -> run.closedAt = System.nanoTime())
                .withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=" + phase.toMillis() + "ms",
                        "leasehold.shutdown.wait-time=" + wait.toMillis() + "ms"));
        assertThat(result).startsWith("interrupted after ").endsWith(", valid");
        assertThat(Long.parseLong(result.split(" ")[2]))
                .isGreaterThanOrEqualTo(phase.plus(wait).toMillis());
    }

    /** The property that sounds as if it gave jobs more time takes the scheduler's phase from them. */
    @Test
    void withAwaitTerminationAJobMayOutliveTheClients() {
        ApplicationContextRunner awaiting = runner.withBean(PlainJob.class)
                .withBean(Ticking.class)
                .withBean(Late.class, () -> new Late(run))
                .withPropertyValues(
                        "spring.task.scheduling.pool.size=2",
                        "spring.task.scheduling.shutdown.await-termination=true",
                        "spring.task.scheduling.shutdown.await-termination-period=10s");
        awaiting.run(context ->
                assertThat(run.begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue());
        assertThat(run.result)
                .failsWithin(Duration.ofSeconds(A_MINUTE))
                .withThrowableThat()
                .withMessageContaining("closed");
    }
}
