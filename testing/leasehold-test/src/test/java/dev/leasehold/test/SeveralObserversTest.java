package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests are about several observers of one client: one that throws harms nobody, and a call may have one of its own.
 */
class SeveralObserversTest {

    /** An observer that throws in everything. */
    private static final class Throwing implements LeaseholdObserver {
        @Override
        public void acquired(LockCall call, LockGrant grant) {
            throw new IllegalStateException("planted");
        }

        @Override
        public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
            throw new StackOverflowError("planted");
        }

        @Override
        public void released(LockCall call, LockGrant grant, Duration held) {
            throw new IllegalStateException("planted");
        }
    }

    @Test
    @DisplayName("An observer that throws harms neither the lock nor other observers, and is logged once")
    void anObserverThatThrowsHarmsNobody() throws Exception {
        RecordingObserver behind = new RecordingObserver();
        AtomicInteger logged = new AtomicInteger();
        Handler handler = counting(logged);
        Logger logger = Logger.getLogger("dev.leasehold");
        logger.addHandler(handler);
        try (TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), new Throwing(), behind)) {
            Lease lease = other.leasehold().lock("x").acquire();
            other.advance(Duration.ofSeconds(15));
            assertThat(lease.isValid()).isTrue();
            lease.close();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(behind.told())
                .containsExactly("asked WAIT x", "acquired after 0 s", "renewed", "released after 15 s");
        assertThat(logged).hasValue(1);
    }

    @Test
    void anObserverThatThrowsWhenAskedSeesNothingMore() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        LeaseholdObserver throwing = new LeaseholdObserver() {
            @Override
            public LeaseholdObserver asked(LockCall call) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void acquired(LockCall call, LockGrant grant) {
                seen.incrementAndGet();
            }
        };
        try (TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), throwing)) {
            other.leasehold().lock("x").acquire().close();
        }
        assertThat(seen).hasValue(0);
    }

    @Test
    void aCallHasTheObserverThatWasMadeForIt() throws Exception {
        RecordingObserver forTheCall = new RecordingObserver();
        LeaseholdObserver choosing = new LeaseholdObserver() {
            @Override
            public LeaseholdObserver asked(LockCall call) {
                return call.lock().equals("x") ? forTheCall : null;
            }

            @Override
            public void acquired(LockCall call, LockGrant grant) {
                throw new AssertionError("told to the one that had chosen another");
            }
        };
        RecordingObserver behind = new RecordingObserver();
        try (TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), choosing, behind)) {
            other.leasehold().lock("y").acquire().close();
            assertThat(behind.told()).hasSize(3);
            other.leasehold().lock("x").acquire().close();
        }
        assertThat(forTheCall.told()).containsExactly("acquired after 0 s", "released after 0 s");
        assertThat(behind.told()).hasSize(3);
    }

    private static Handler counting(AtomicInteger logged) {
        return new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                if (logRecord.getMessage().contains("observer")) {
                    logged.incrementAndGet();
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
