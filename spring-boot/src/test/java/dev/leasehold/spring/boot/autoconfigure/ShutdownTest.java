package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.LockedTemplate;
import dev.leasehold.spring.RunningBodies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** What is under locks when the application ends may end by itself. */
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
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory")
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
                    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
                });
        assertThat(task.join().get(10, TimeUnit.SECONDS)).isEqualTo("inner");
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
        assertThat(result.join().get(10, TimeUnit.SECONDS)).isEqualTo("inner");
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
}
