package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A scheduled job in two instances runs once in each period. */
class ScheduledTest {

    static class Job {

        static final AtomicInteger TICKS = new AtomicInteger();
        static final AtomicInteger RUNS = new AtomicInteger();

        private final Counter counter;

        Job(Counter counter) {
            this.counter = counter;
        }

        @Scheduled(fixedRate = 20)
        void tick() {
            counter.count();
            TICKS.incrementAndGet();
        }
    }

    static class Counter {
        @Scheduled(fixedRate = 20)
        @Locked(name = "job", onBusy = OnBusy.SKIP, atLeast = "1h")
        void count() {
            Job.RUNS.incrementAndGet();
        }
    }

    @EnableLeasehold
    @EnableScheduling
    static class Enabled {}

    private static AnnotationConfigApplicationContext instance(Leasehold client) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(Leasehold.class, () -> client);
        context.register(Enabled.class, Counter.class, Job.class);
        context.refresh();
        return context;
    }

    @Test
    void atLeastKeepsTheOthersFromRunningIt() {
        try (AnnotationConfigApplicationContext a = instance(Leasehold.connect("memory:scheduled"));
                AnnotationConfigApplicationContext b = instance(Leasehold.connect("memory:scheduled"))) {
            await().until(() -> Job.TICKS.get() > 20);
            assertThat(Job.RUNS.get()).isEqualTo(1);
            assertThat(a.isActive() && b.isActive()).isTrue();
        }
    }
}
