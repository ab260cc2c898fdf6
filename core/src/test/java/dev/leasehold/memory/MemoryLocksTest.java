package dev.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show what only this store does; the rules for every store are tested by the contract suite in the testkit. */
class MemoryLocksTest {

    private static final long WALL = 1_700_000_000_000_000L;

    private final MemoryLocks locks = new MemoryLocks();
    private long claims;

    @Test
    void forgetsLocksThatNobodyUses() {
        for (int i = 0; i < 10_000; i++) {
            useOnce("lock-" + i, reading(i * 1_000L));
        }
        assertThat(locks.size()).isLessThan(200);
    }

    @Test
    void remembersLocksThatAreHeldOrWaitedFor() {
        acquire("held", Duration.ofHours(1), reading(0));
        acquire("held", Duration.ofHours(1), reading(0));
        for (int i = 0; i < 1_000; i++) {
            useOnce("lock-" + i, reading(i));
        }
        assertThat(locks.inspect("", NamePattern.of("held"), reading(1_000)))
                .singleElement()
                .satisfies(lock -> assertThat(lock.waiters()).hasSize(1));
    }

    @Test
    @DisplayName("A token is greater than that of a forgotten lock, also after the clock was set back")
    void tokensIncreaseBeyondAForgottenLocksToken() {
        long before = useOnce("a", reading(0));
        for (int i = 0; i < 1_000; i++) {
            useOnce("lock-" + i, reading(1_000_000 + i));
        }
        ClockReading setBack = new ClockReading(2_000_000_000L, WALL - 3_600_000_000L);
        assertThat(useOnce("a", setBack)).isGreaterThan(before);
    }

    @Test
    @DisplayName("A busy lock does not move the tokens of others ahead of the clock")
    void aBusyLockMovesNoTokensAheadOfTheClock() {
        for (int i = 0; i < 1_000; i++) {
            useOnce("busy", reading(0));
        }
        for (int i = 0; i < 1_000; i++) {
            useOnce("lock-" + i, reading(0));
        }
        assertThat(useOnce("other", reading(0))).isEqualTo(WALL);
    }

    @Test
    void whoseLeaseIsBrokenIsToldAtOnce() {
        LeaseId lease = ((ClaimAnswer.Granted) acquire("a", Duration.ofHours(1), reading(0))).lease();
        Notifications out = new Notifications();
        assertThat(locks.breakLease(key("a"), lease.token(), reading(1), out)).isTrue();
        assertThat(out.broken()).singleElement().satisfies(told -> {
            assertThat(told.lock()).isEqualTo("a");
            assertThat(told.claim()).isEqualTo(lease.claim());
        });
    }

    private long useOnce(String name, ClockReading now) {
        LeaseId lease = ((ClaimAnswer.Granted) acquire(name, Duration.ofSeconds(1), now)).lease();
        locks.release(key(name), lease, Duration.ZERO, now, new Notifications());
        return lease.token();
    }

    private ClaimAnswer acquire(String name, Duration duration, ClockReading now) {
        Claim claim = new Claim(new ClaimId("c", ++claims), name, duration, Claim.MOST_SPARE, true);
        return locks.claim(key(name), claim, "test", now, new Notifications());
    }

    private static LockKey key(String name) {
        return new LockKey("", name);
    }

    private static ClockReading reading(long micros) {
        return new ClockReading(micros * 1_000, WALL + micros);
    }
}
