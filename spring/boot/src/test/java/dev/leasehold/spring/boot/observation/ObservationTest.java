package dev.leasehold.spring.boot.observation;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Metrics and traces of locks. */
@Tag("slow")
class ObservationTest {

    public static class Shop {
        @Locked(name = "invoice:#{#id}", maxWait = "0s")
        public void send(int id, Runnable body) {
            body.run();
        }
    }

    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class, LeaseholdObservationAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory")
            .withBean(Shop.class)
            .withBean(ObservationRegistry.class, () -> observations)
            .withBean(MeterRegistry.class, () -> meters);

    private double value(String name) {
        List<Double> values = new ArrayList<>();
        meters.get(name).meter().measure().forEach(measured -> values.add(measured.getValue()));
        return values.get(0);
    }

    @Test
    void metersAreThereFromTheStart() {
        runner.run(context -> {
            context.getBean(Leasehold.class);
            for (String name : List.of(
                    "leasehold.lost",
                    "leasehold.at.risk",
                    "leasehold.renewals.failed",
                    "leasehold.held",
                    "leasehold.waiting")) {
                assertThat(value(name)).as(name).isZero();
            }
        });
    }

    @Test
    void aCallHasAnAcquisitionAndAHoldWithTheTemplate() {
        runner.run(context -> {
            context.getBean(Shop.class)
                    .send(42, () -> assertThat(value("leasehold.held")).isEqualTo(1));
            TestObservationRegistryAssert.assertThat(observations)
                    .hasObservationWithNameEqualTo("leasehold.acquire")
                    .that()
                    .hasBeenStopped()
                    .hasLowCardinalityKeyValue("outcome", "acquired")
                    .hasLowCardinalityKeyValue("template", "invoice:#{#id}")
                    .hasLowCardinalityKeyValue("store", "memory")
                    .hasLowCardinalityKeyValue("mode", "exclusive")
                    .hasHighCardinalityKeyValue("lock", "invoice:42");
            await().untilAsserted(() -> TestObservationRegistryAssert.assertThat(observations)
                    .hasObservationWithNameEqualTo("leasehold.hold")
                    .that()
                    .hasBeenStopped()
                    .hasLowCardinalityKeyValue("outcome", "released")
                    .hasHighCardinalityKeyValueWithKey("token"));
            await().until(() -> value("leasehold.held") == 0);
        });
    }

    @Test
    void aLockInsideAnotherHasNotItsTemplate() {
        runner.run(context -> {
            Leasehold leasehold = context.getBean(Leasehold.class);
            context.getBean(Shop.class).send(42, () -> {
                try (Lease lease = leasehold.lock("plain").acquire()) {
                    assertThat(value("leasehold.held")).isEqualTo(2);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            TestObservationRegistryAssert.assertThat(observations)
                    .hasAnObservationWithAKeyValue("lock", "plain")
                    .hasNumberOfObservationsWithNameEqualTo("leasehold.acquire", 2)
                    .hasAnObservationWithAKeyValue("template", "none");
        });
    }

    @Test
    void permitsAndReadersCanBeTold() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        runner.run(context -> {
            Leasehold leasehold = context.getBean(Leasehold.class);
            leasehold.semaphore("s", 3).acquire().close();
            leasehold.readWriteLock("r").read().acquire().close();
            TestObservationRegistryAssert.assertThat(observations)
                    .hasAnObservation(permit -> permit.hasNameEqualTo("leasehold.hold")
                            .hasLowCardinalityKeyValue("mode", "permit")
                            .hasHighCardinalityKeyValue("slot", "0"))
                    .hasAnObservation(reader -> reader.hasNameEqualTo("leasehold.hold")
                            .hasLowCardinalityKeyValue("mode", "reader")
                            .doesNotHaveHighCardinalityKeyValueWithKey("slot"));
            await().untilAsserted(() -> assertThat(meters.get("leasehold.hold").timers())
                    .extracting(timer ->
                            timer.getId().getTag("mode") + " " + timer.getId().getTag("slot"))
                    .containsExactlyInAnyOrder("permit null", "reader null"));
        });
    }

    @Test
    void aLossIsCounted() {
        runner.run(context -> {
            Leasehold leasehold = context.getBean(Leasehold.class);
            Lease lease = leasehold.lock("a").acquire();
            leasehold.breakLock("a", lease.token());
            await().until(() -> value("leasehold.lost") == 1 && value("leasehold.held") == 0);
        });
    }

    @Test
    void metricsHaveNoNamesOfLocks() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        runner.run(context -> {
            context.getBean(Shop.class).send(42, () -> {});
            assertThat(meters.get("leasehold.acquire").timer().getId().getTags().toString())
                    .contains("invoice:#{#id}")
                    .doesNotContain("invoice:42");
        });
    }

    @Test
    void aThousandNamesAreOneTimer() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        runner.run(context -> {
            for (int id = 0; id < 1000; id++) {
                context.getBean(Shop.class).send(id, () -> {});
            }
            for (String name : List.of("leasehold.acquire", "leasehold.hold")) {
                await().untilAsserted(() -> assertThat(meters.get(name).timers())
                        .singleElement()
                        .satisfies(timer -> assertThat(timer.count()).isEqualTo(1000)));
            }
        });
    }

    @Test
    void withoutMicrometerThereIsNothing() {
        runner.withClassLoader(new FilteredClassLoader(ObservationRegistry.class, MeterRegistry.class))
                .run(context -> assertThat(context).doesNotHaveBean("leaseholdMeterObserver"));
    }
}
