package dev.leasehold.spring.boot.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.test.TestLeasehold;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests show what observations say of the end of a call and of a hold, in virtual time. */
class ObservedOutcomesTest {

    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private TestLeasehold locks;
    private DistributedLock lock;

    private void observe(LockObservationConvention convention) {
        locks = TestLeasehold.create(LockOptions.defaults(), new ObservationObserver(registry, convention));
        lock = locks.leasehold().lock("x");
    }

    @AfterEach
    void close() {
        locks.close();
    }

    private void assertObserved(String name, String outcome) {
        TestObservationRegistryAssert.assertThat(registry)
                .hasAnObservation(one -> one.hasNameEqualTo(name)
                        .hasLowCardinalityKeyValue("outcome", outcome)
                        .hasHighCardinalityKeyValue("lock", "x"));
    }

    @Test
    void aBusyLock() throws Exception {
        observe(null);
        locks.holdElsewhere("x");
        assertThat(lock.tryAcquire()).isEmpty();
        assertObserved("leasehold.acquire", "busy");
        TestObservationRegistryAssert.assertThat(registry)
                .hasNumberOfObservationsWithNameEqualTo("leasehold.acquire", 1)
                .hasNumberOfObservationsWithNameEqualTo("leasehold.hold", 0);
    }

    @Test
    void aStoreThatDoesNotAnswerIsAnError() {
        observe(null);
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> lock.acquire()))
                .isInstanceOf(StoreUnavailableException.class);
        assertObserved("leasehold.acquire", "failed");
        TestObservationRegistryAssert.assertThat(registry)
                .hasSingleObservationThat()
                .hasError()
                .thenError()
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aCallerThatHasGivenUp() {
        observe(null);
        locks.holdElsewhere("x");
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        locks.advance(Duration.ofSeconds(2));
        waiting.cancel(true);
        locks.advance(Duration.ZERO);
        assertObserved("leasehold.acquire", "withdrawn");
    }

    @Test
    void aLostLease() throws Exception {
        observe(null);
        Lease lease = lock.acquire();
        locks.lose("x");
        lease.close();
        assertObserved("leasehold.acquire", "acquired");
        assertObserved("leasehold.hold", "lost");
    }

    /** Also where the grant comes later, on another thread, on which nothing is observed. */
    @Test
    void theHoldHasTheParentOfItsAcquisition() {
        observe(null);
        var other = locks.holdElsewhere("x");
        Observation parent = Observation.start("parent", registry);
        CompletableFuture<Lease> waiting;
        try (Observation.Scope scope = parent.openScope()) {
            waiting = lock.acquireAsync();
        }
        other.release();
        locks.advance(Duration.ZERO);
        waiting.join().close();
        parent.stop();
        for (String name : List.of("leasehold.acquire", "leasehold.hold")) {
            TestObservationRegistryAssert.assertThat(registry)
                    .hasAnObservation(one -> one.hasNameEqualTo(name).hasParentObservationEqualTo(parent));
        }
    }

    /** A candidate waits for days: its observation would end when nobody looks at its trace any more. */
    @Test
    void candidatesAreLeftOut() {
        observe(null);
        var candidate = locks.leasehold().election("x");
        candidate.start();
        locks.advance(Duration.ofSeconds(1));
        assertThat(candidate.isLeader()).isTrue();
        TestObservationRegistryAssert.assertThat(registry).doesNotHaveAnyObservation();
    }

    /** No key is there that the documentation types do not name, and none that they name is missing. */
    @Test
    void theKeysAreThoseThatAreDocumented() throws Exception {
        List<Observation.Context> ended = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        observe(null);
        locks.leasehold().semaphore("x", 2).acquire().close();
        assertThat(ended).hasSize(2);
        for (int i = 0; i < 2; i++) {
            LockObservation kind = LockObservation.values()[i];
            Observation.Context context = ended.get(i);
            assertThat(context.getName()).isEqualTo(kind.getName());
            assertThat(keys(context.getLowCardinalityKeyValues()))
                    .containsExactlyInAnyOrderElementsOf(names(kind.getLowCardinalityKeyNames()));
            assertThat(keys(context.getHighCardinalityKeyValues()))
                    .containsExactlyInAnyOrderElementsOf(names(kind.getHighCardinalityKeyNames()));
        }
    }

    private static List<String> keys(KeyValues values) {
        return values.stream().map(value -> value.getKey()).toList();
    }

    private static List<String> names(KeyName[] names) {
        return Stream.of(names).map(KeyName::asString).toList();
    }

    @Test
    void aConventionOfTheApplicationNamesThem() throws Exception {
        observe(new LockObservationConvention() {
            @Override
            public String getName() {
                return "locks";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
                return KeyValues.of("what", context.kind().name(), "came", context.outcome());
            }
        });
        lock.acquire().close();
        TestObservationRegistryAssert.assertThat(registry)
                .hasNumberOfObservationsWithNameEqualTo("locks", 2)
                .hasAnObservation(one ->
                        one.hasLowCardinalityKeyValue("what", "ACQUIRE").hasLowCardinalityKeyValue("came", "acquired"))
                .hasAnObservation(one ->
                        one.hasLowCardinalityKeyValue("what", "HOLD").hasLowCardinalityKeyValue("came", "released"));
    }
}
