package dev.leasehold.spring.boot.autoconfigure;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.ElectionListener;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.LockedTemplate;
import dev.leasehold.spring.internal.RunningBodies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** These tests show that work which is under locks when the application ends may end by itself. */
@Tag("slow")
class ShutdownTest {

    public static class Work {

        @Autowired
        private LockedTemplate locks;

        @Locked("outer")
        public String nesting(CountDownLatch begun, CountDownLatch end) throws InterruptedException {
            begun.countDown();
            end.await();
            return locks.<String, RuntimeException>execute("inner", Lease::name);
        }

        @Locked("stage")
        public CompletableFuture<String> stage(CompletableFuture<String> work) {
            return work.thenApply(done -> locks.<String, RuntimeException>execute("inner", Lease::name));
        }

        @Locked("endless")
        public CompletableFuture<String> endless(CompletableFuture<String> work) {
            return work;
        }
    }

    /** A lock taken here outlives the application's client. */
    private static final String DATABASE = "jdbc:h2:mem:shutdown;DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LeaseholdAutoConfiguration.class, LifecycleAutoConfiguration.class))
            .withPropertyValues(
                    "leasehold.store.type=memory",
                    "leasehold.shutdown.wait-time=1m",
                    "leasehold.lease=2m",
                    "spring.lifecycle.timeout-per-shutdown-phase=2m")
            .withBean(Work.class);

    private static void onItsOwnThread(Runnable task) {
        new Thread(task).start();
    }

    /** The client was closed before the executor had ended, and what its tasks asked for failed. */
    @Test
    void tasksOfAnExecutorMayLockToTheirEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Future<String>> task = new CompletableFuture<>();
        runner.withBean(ThreadPoolTaskExecutor.class)
                .withBean(ApplicationListener.class, () -> (ApplicationListener<ContextClosedEvent>) event ->
                        CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, ShutdownTest::onItsOwnThread)
                                .execute(end::countDown))
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    task.complete(context.getBean(ThreadPoolTaskExecutor.class).submit(() -> work.nesting(begun, end)));
                    assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
                });
        assertThat(task.join().get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("inner");
    }

    /** Neither was a body that is bound to no thread waited for before the client took no more calls. */
    @Test
    void aStageMayLockToItsEnd() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<String>> result = new CompletableFuture<>();
        runner.withBean(ApplicationListener.class, () -> (ApplicationListener<ContextClosedEvent>) event ->
                        CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, ShutdownTest::onItsOwnThread)
                                .execute(() -> work.complete("done")))
                .run(context -> {
                    result.complete(context.getBean(Work.class).stage(work));
                    await().until(() -> context.getBean(RunningBodies.class).count() == 1);
                });
        assertThat(result.join().get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("inner");
    }

    private void endWhileRunning(
            CompletableFuture<String> work, CompletableFuture<CompletableFuture<String>> result, String interruptWait) {
        runner.withPropertyValues(
                        "leasehold.store.uri=" + DATABASE,
                        "leasehold.shutdown.wait-time=100ms",
                        "leasehold.shutdown.interrupt-wait-time=" + interruptWait)
                .run(context -> {
                    result.complete(context.getBean(Work.class).endless(work));
                    await().until(() -> context.getBean(RunningBodies.class).count() == 1);
                });
    }

    /** Nothing ends its work, which may go on as long as the process does. */
    @Test
    void aPlainStageThatDoesNotEndKeepsItsLockFromTheNext() throws Exception {
        CompletableFuture<CompletableFuture<String>> result = new CompletableFuture<>();
        CompletableFuture<String> work = new CompletableFuture<>();
        endWhileRunning(work, result, "200ms");
        assertThatThrownBy(() -> result.join().get(A_MINUTE, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThat(work).isCancelled();
        try (Leasehold next = Leasehold.connect(DATABASE)) {
            assertThat(next.lock("endless").tryAcquire()).isEmpty();
            assertThat(next.breakLock(
                            "endless",
                            next.info("endless").orElseThrow().holder().token()))
                    .isTrue();
        }
    }

    /** Notes, in a phase after the clients', whether they are closed, and lets the cancel return. */
    record AfterClients(Leasehold client, CountDownLatch end, CompletableFuture<Boolean> closed)
            implements SmartLifecycle {

        @Override
        public void start() {}

        @Override
        public void stop() {
            try {
                client.lock("other").tryAcquire().ifPresent(Lease::close);
                closed.complete(false);
            } catch (IllegalStateException e) {
                closed.complete(true);
            } catch (InterruptedException e) {
                closed.completeExceptionally(e);
            } finally {
                end.countDown();
            }
        }

        @Override
        public boolean isRunning() {
            return !closed.isDone();
        }

        @Override
        public int getPhase() {
            return 0;
        }
    }

    /** The clients were not closed, and their leases renewed, for as long as it blocked. */
    @Test
    void aCancelThatBlocksDoesNotKeepTheClientsOpen() {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        CompletableFuture<String> work = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupt) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return super.cancel(interrupt);
            }
        };
        runner.withPropertyValues("leasehold.shutdown.wait-time=100ms", "leasehold.shutdown.interrupt-wait-time=200ms")
                .withBean(AfterClients.class, end, closed)
                .run(context -> {
                    CompletableFuture<String> result =
                            context.getBean(Work.class).endless(work);
                    await().until(() -> context.getBean(RunningBodies.class).count() == 1);
                    assertThat(result).isNotDone();
                });
        assertThat(closed).isCompletedWithValue(true);
    }

    /** A job may take long; meanwhile another instance leads already. */
    @Test
    void theLeaderResignsBeforeBodiesAreWaitedFor() throws Exception {
        String store = "memory:shutdown-order";
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> body = new CompletableFuture<>();
        try (Leasehold next = Leasehold.connect(store)) {
            runner.withPropertyValues("leasehold.store.uri=" + store).run(context -> {
                Elections elections = context.getBean(Elections.class);
                elections.start();
                elections.election("boss");
                await().until(() -> elections.isLeader("boss"));
                LeaderElection other = next.election("boss");
                other.addListener(new ElectionListener() {
                    @Override
                    public void elected(Lease lease) {
                        end.countDown();
                    }
                });
                other.start();
                Work work = context.getBean(Work.class);
                onItsOwnThread(() -> {
                    try {
                        body.complete(work.nesting(begun, end));
                    } catch (InterruptedException e) {
                        body.completeExceptionally(e);
                    }
                });
                assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
                assertThat(end.getCount()).isEqualTo(1);
            });
            assertThat(body.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("inner");
        }
    }

    /** The client of the parent was closed with the first of its children. */
    @Test
    void aParentsClientOutlivesItsChild() {
        runner.run(parent -> {
            Leasehold client = parent.getBean(Leasehold.class);
            runner.withParent(parent)
                    .run(child -> assertThat(child.getBean(Leasehold.class)).isSameAs(client));
            assertThat(client.lock("a").tryAcquire()).isPresent().get().satisfies(Lease::close);
        });
    }

    @Test
    void aClientThatSomebodyElseClosesStaysOpen() throws Exception {
        try (Leasehold client = Leasehold.connect("memory:")) {
            runner.withBean("own", Leasehold.class, () -> client, definition -> definition.setDestroyMethodName(""))
                    .run(context -> assertThat(context.getBean(Leasehold.class)).isSameAs(client));
            assertThat(client.lock("a").tryAcquire()).isPresent().get().satisfies(Lease::close);
        }
    }

    /** Spring pauses the contexts of tests that others of the same JVM have no use for. */
    @Test
    void aPausedContextKeepsItsClient() {
        runner.run(context -> {
            context.getSourceApplicationContext().pause();
            assertThat(context.getBean(Leasehold.class).lock("a").tryAcquire())
                    .isPresent()
                    .get()
                    .satisfies(Lease::close);
            context.getSourceApplicationContext().restart();
        });
    }
}
