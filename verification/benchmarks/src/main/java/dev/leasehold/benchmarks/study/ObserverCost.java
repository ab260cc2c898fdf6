package dev.leasehold.benchmarks.study;

import com.sun.management.ThreadMXBean;
import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.benchmarks.report.Median;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spring.boot.observation.LeaseholdObservationAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * The cost of observers is measured by one thread, which acquires and releases a lock in memory that nobody else wants, so
 * that nothing but the engine is measured. The clients take turns from the first to the last and back again (A-B-C-C-B-A);
 * what counts is the median of the rounds. Bytes are those that all threads have allocated, since the end of a hold may be
 * told on another one.
 */
final class ObserverCost {

    private static final int WARM_UP = 6;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** @param recording starts a recording that lasts as long as the contestant's turn, or null */
    private record Contestant(
            String name,
            Leasehold client,
            @Nullable Supplier<Recording> recording,
            List<Double> nanos,
            List<Double> bytes) {}

    private final PrintStream out;
    private final int rounds;
    private final Duration round;

    ObserverCost(PrintStream out, int rounds, Duration round) {
        this.out = out;
        this.rounds = rounds;
        this.round = round;
    }

    void run() throws InterruptedException {
        List<Contestant> there = List.of(
                contestant("no observer (flight recorder off)", List.of(), null),
                contestant("flight recorder, events over 10 ms", List.of(), () -> recording(null)),
                contestant("flight recorder, every event", List.of(), () -> recording(Duration.ZERO)),
                contestant("no-op observer", List.of(new LeaseholdObserver() {}), null),
                contestant("observations, no handler", micrometer(ObservationRegistry.NOOP, null), null),
                contestant("counters and gauges", micrometer(null, new SimpleMeterRegistry()), null),
                contestant("observations as timers", micrometer(timers(), null), null),
                contestant(
                        "the same, no long task timers", micrometer(timers(IgnoredMeters.LONG_TASK_TIMER), null), null),
                contestant("timers, counters and gauges", micrometer(timers(), new SimpleMeterRegistry()), null));
        List<Contestant> back = new ArrayList<>(there);
        Collections.reverse(back);
        for (int i = 0; i < 2 * rounds + WARM_UP; i++) {
            for (Contestant each : i % 2 == 0 ? there : back) {
                measure(each, i >= WARM_UP);
            }
        }
        Contestant bare = there.get(0);
        for (Contestant each : there) {
            out.printf(
                    "%-36s %7.0f ns %7.2f of bare %8.0f bytes per cycle, %6.0f more%n",
                    each.name(),
                    median(each.nanos()),
                    median(each.nanos()) / median(bare.nanos()),
                    median(each.bytes()),
                    median(each.bytes()) - median(bare.bytes()));
            each.client().close();
        }
    }

    private static Contestant contestant(
            String name, Collection<LeaseholdObserver> observers, @Nullable Supplier<Recording> recording) {
        LeaseholdBuilder builder = Leasehold.builder().uri("memory:");
        observers.forEach(builder::observer);
        return new Contestant(name, builder.build(), recording, new ArrayList<>(), new ArrayList<>());
    }

    /** Returns the observers that Spring Boot's auto-configuration makes for registries. */
    private static Collection<LeaseholdObserver> micrometer(
            @Nullable ObservationRegistry observations, @Nullable MeterRegistry meters) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        if (observations != null) {
            context.registerBean(ObservationRegistry.class, () -> observations);
        }
        if (meters != null) {
            context.registerBean(MeterRegistry.class, () -> meters);
        }
        context.register(LeaseholdObservationAutoConfiguration.class);
        context.refresh();
        return context.getBeansOfType(LeaseholdObserver.class).values();
    }

    /** Returns a registry that makes timers of observations, as Spring Boot's does. */
    private static ObservationRegistry timers(IgnoredMeters... ignored) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(new SimpleMeterRegistry(), ignored));
        return registry;
    }

    private static Recording recording(@Nullable Duration threshold) {
        Recording recording = new Recording();
        for (String event : List.of("LockAcquire", "LockHold", "LeaseRenewal", "LeaseLost")) {
            if (threshold == null) {
                recording.enable("dev.leasehold." + event);
            } else {
                recording.enable("dev.leasehold." + event).withThreshold(threshold);
            }
        }
        recording.setMaxSize(10_000_000);
        recording.start();
        return recording;
    }

    private void measure(Contestant of, boolean counts) throws InterruptedException {
        Recording recording = of.recording() == null ? null : of.recording().get();
        DistributedLock lock = of.client().lock("benchmark");
        long bytes = allocated();
        long start = System.nanoTime();
        long end = start + round.toNanos();
        long cycles = 0;
        long now;
        do {
            for (int i = 0; i < 100; i++) {
                lock.acquire().close();
            }
            cycles += 100;
            now = System.nanoTime();
        } while (now - end < 0);
        long allocated = allocated() - bytes;
        if (recording != null) {
            recording.close();
        }
        if (counts) {
            of.nanos().add((double) (now - start) / cycles);
            of.bytes().add((double) allocated / cycles);
        }
    }

    private static long allocated() {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private static double median(List<Double> values) {
        return Median.of(values).value();
    }
}
