package dev.leasehold.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.test.TestLeasehold;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** These tests look at what the published contract leaves out. */
class ShedLockBridgeTest {

    private static LockConfiguration atMost(Duration most, Duration least) {
        return new LockConfiguration(Instant.now(), "job", most, least);
    }

    @Test
    void anOutageIsNotABusyLock() {
        try (TestLeasehold locks = TestLeasehold.create()) {
            locks.storeDown();
            assertThatThrownBy(() -> locks.whileTimePasses(() -> new LeaseholdLockProvider(locks.leasehold())
                            .lock(atMost(Duration.ofMinutes(1), Duration.ZERO))))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void lockAtMostForIsNotRenewed() throws Exception {
        try (TestLeasehold locks = TestLeasehold.create()) {
            SimpleLock held = new LeaseholdLockProvider(locks.leasehold())
                    .lock(atMost(Duration.ofMinutes(1), Duration.ZERO))
                    .orElseThrow();
            locks.advance(Duration.ofSeconds(59));
            assertThat(locks.anotherClient().lock("job").tryAcquire()).isEmpty();
            locks.advance(Duration.ofSeconds(2));
            Lease other = locks.anotherClient().lock("job").tryAcquire().orElseThrow();
            held.unlock();
            assertThat(other.isValid())
                    .as("the next one's, after a late unlock")
                    .isTrue();
        }
    }

    @Test
    void anUnlockIsNotPutOffByATickOfTheClock() throws Exception {
        try (TestLeasehold locks = TestLeasehold.create()) {
            SimpleLock extended = new LeaseholdLockProvider(locks.leasehold())
                    .lock(atMost(Duration.ofMinutes(1), Duration.ZERO))
                    .flatMap(held -> held.extend(Duration.ofMinutes(1), Duration.ZERO))
                    .orElseThrow();
            ClockProvider.setClock(new TickingClock(Instant.now()));
            try {
                extended.unlock();
            } finally {
                ClockProvider.setClock(Clock.systemUTC());
            }
            assertThat(locks.anotherClient().lock("job").tryAcquire()).isPresent();
        }
    }

    /** Each look at it is a millisecond later. */
    private static final class TickingClock extends Clock {

        private Instant now;

        TickingClock(Instant start) {
            now = start;
        }

        @Override
        public Instant instant() {
            now = now.plusMillis(1);
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }
}
