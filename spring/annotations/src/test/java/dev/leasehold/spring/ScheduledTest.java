package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

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
        @Locked(name = "job", onBusy = OnBusy.SKIP, minHold = "1h")
        void count() {
            Job.RUNS.incrementAndGet();
        }
    }

    static class Patient {
        @Locked(name = "patient", onBusy = OnBusy.SKIP, maxWait = "forever")
        void work() {
            throw new IllegalStateException("this Leasehold was closed while 'inner' was waited for");
        }

        @Locked(name = "stage", onBusy = OnBusy.SKIP, maxWait = "forever")
        CompletableFuture<Void> stage() {
            return CompletableFuture.failedFuture(new IllegalStateException("was run"));
        }

        @Locked(name = "stream", onBusy = OnBusy.SKIP, maxWait = "forever")
        Mono<Void> stream() {
            return Mono.error(new IllegalStateException("was run"));
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
    void minHoldKeepsTheOthersFromRunningIt() {
        try (AnnotationConfigApplicationContext a = instance(Leasehold.connect("memory:scheduled"));
                AnnotationConfigApplicationContext b = instance(Leasehold.connect("memory:scheduled"))) {
            await().until(() -> Job.TICKS.get() > 20);
            assertThat(Job.RUNS.get()).isEqualTo(1);
            assertThat(a.isActive() && b.isActive()).isTrue();
        }
    }

    /** Spring's scheduler logs what a job throws as an error, and here nothing is wrong. */
    @Test
    void aJobThatWaitsWhenItsClientClosesIsSkipped() throws Exception {
        try (Leasehold client = Leasehold.connect("memory:patient");
                Leasehold other = Leasehold.connect("memory:patient");
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Leasehold.class, () -> client);
            context.register(EnabledOnly.class, Patient.class);
            context.refresh();
            Patient patient = context.getBean(Patient.class);
            assertThatThrownBy(patient::work).as("the body's own").isInstanceOf(IllegalStateException.class);
            List<Lease> leases = new ArrayList<>();
            for (String name : List.of("patient", "stage", "stream")) {
                leases.add(other.lock(name).acquire());
            }
            List<CompletableFuture<Void>> jobs = List.of(
                    CompletableFuture.runAsync(patient::work),
                    patient.stage(),
                    patient.stream().toFuture());
            await().until(() ->
                    other.locks("*").stream().allMatch(lock -> lock.waiters().size() == 1));
            client.close();
            for (CompletableFuture<Void> job : jobs) {
                job.get(A_MINUTE, TimeUnit.SECONDS);
            }
            leases.forEach(Lease::close);
            assertThatThrownBy(patient::work).as("a later one").isInstanceOf(IllegalStateException.class);
        }
    }

    @EnableLeasehold
    static class EnabledOnly {}
}
