package dev.leasehold.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.OnBusy;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import dev.leasehold.test.TestLeasehold;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Import;

/** An application's tests of what it does with locks that are busy, slow, lost. */
@SpringBootTest
@AutoConfigureTestLeasehold
class TestLeaseholdStarterTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}

    static class Shop {

        @Locked(name = "invoice:#{#id}", maxWait = "30s")
        public String send(int id, @Nullable Lease lease) {
            return lease.isValid() ? "sent" : "lost";
        }

        @Locked(name = "report", onBusy = OnBusy.SKIP)
        public Optional<String> report() {
            return Optional.of("done");
        }
    }

    @Autowired
    private Shop shop;

    @Test
    void aFreeLockIsHadAtOnce(TestLeasehold locks) {
        assertThat(shop.send(1, null)).isEqualTo("sent");
        assertThat(locks.isHeldHere("invoice:1")).isFalse();
    }

    @Test
    @BusyLock({"invoice:42", "report"})
    void aBusyLockIsRefusedAfterItsWait(TestLeasehold locks) {
        assertThatThrownBy(() -> shop.send(42, null)).isInstanceOf(LockBusyException.class);
        assertThat(shop.report()).isEmpty();
        assertThat(shop.send(43, null)).isEqualTo("sent");
    }

    @Test
    void aBusyLockIsFreeAfterItsTest() {
        assertThat(shop.send(42, null)).isEqualTo("sent");
    }

    @Test
    @SlowLock(value = "invoice:42", millis = 20_000)
    void aSlowLockIsWaitedFor(TestLeasehold locks) {
        long before = locks.time().now().nanos();
        assertThat(shop.send(42, null)).isEqualTo("sent");
        assertThat(Duration.ofNanos(locks.time().now().nanos() - before)).isGreaterThan(Duration.ofSeconds(19));
    }

    @Test
    @LostLock("invoice:42")
    void aLostLockIsReported() {
        assertThatThrownBy(() -> shop.send(42, null)).isInstanceOf(LeaseLostException.class);
        assertThat(shop.send(42, null)).as("once").isEqualTo("sent");
    }

    @Test
    void anOutageIsNotABusyLock(TestLeasehold locks) {
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> shop.send(42, null)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    /** Time stood still in it, and it never ended. */
    @RepeatedTest(2)
    @BusyLock("invoice:42")
    void aRepeatedTestWaitsInVirtualTime() {
        assertThatThrownBy(() -> shop.send(42, null)).isInstanceOf(LockBusyException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {42, 43})
    @SlowLock(value = "invoice:42", millis = 10_000)
    void aParameterizedTestWaitsInVirtualTime(int id) {
        assertThat(shop.send(id, null)).isEqualTo("sent");
    }

    /** The second repetition found the lock of the first taken. */
    @RepeatedTest(2)
    @SlowLock(value = "invoice:44", millis = 3_600_000)
    void aSlowLockIsGivenBackAfterItsTest(TestLeasehold locks) {
        assertThat(locks.leasehold()).isNotNull();
    }

    /** It waited for the limit of a shutdown, by a clock that nobody moves any more: here for longer than a test may take. */
    @Test
    void aContextWithAHeldLockClosesAtOnce() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        TestLeaseholdAutoConfiguration.class,
                        LeaseholdAutoConfiguration.class,
                        LifecycleAutoConfiguration.class))
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1h")
                .run(context -> assertThat(
                                context.getBean(Leasehold.class).lock("a").tryAcquire())
                        .isPresent());
    }
}
