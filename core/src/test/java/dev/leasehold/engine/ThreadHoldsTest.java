package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.queue.Loss;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadHoldsTest {

    private final ThreadHolds holds = new ThreadHolds();
    private final Leasehold leasehold = Leasehold.builder()
            .store(new WrappedStore())
            .timeSource(new StoppedTimeSource())
            .build();

    @AfterEach
    void close() {
        leasehold.close();
    }

    private HeldLease acquire(String lock) {
        try {
            return (HeldLease) leasehold.lock(lock).acquire();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void countsEntriesAndReleasesWithTheLast() {
        HeldLease lease = acquire("a");
        assertThat(holds.reenter("a")).isFalse();
        assertThat(holds.enter("a", null)).isFalse();
        holds.enter("a", lease);
        assertThat(holds.reenter("a")).isTrue();
        assertThat(holds.count("a")).isEqualTo(2);
        assertThat(holds.count("b")).isZero();
        holds.leave("a");
        assertThat(lease.isValid()).isTrue();
        holds.leave("a");
        assertThat(lease.isValid()).isFalse();
        assertThat(holds.size()).isZero();
        assertThatThrownBy(() -> holds.leave("a")).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void belongsToTheThreadThatEntered() throws InterruptedException {
        holds.enter("a", acquire("a"));
        AtomicReference<Throwable> seen = new AtomicReference<>();
        inThread(() -> {
            assertThat(holds.reenter("a")).isFalse();
            assertThat(holds.lease("a")).isNull();
            try {
                holds.leave("a");
            } catch (IllegalMonitorStateException e) {
                seen.set(e);
            }
        });
        assertThat(seen.get()).isNotNull();
        assertThat(holds.count("a")).isEqualTo(1);
    }

    @Test
    void afterALossLeavingSaysSoAndCountsDown() {
        HeldLease lease = acquire("a");
        holds.enter("a", lease);
        holds.reenter("a");
        lease.hold().lose(new Loss("tested", null));
        assertThatThrownBy(() -> holds.reenter("a")).isInstanceOf(LeaseLostException.class);
        for (int left = 1; left >= 0; left--) {
            assertThatThrownBy(() -> holds.leave("a"))
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasCauseInstanceOf(LeaseLostException.class);
            assertThat(holds.count("a")).isEqualTo(left);
        }
    }

    @Test
    void threadsThatAreEqualAreNotTheSame() throws InterruptedException {
        class Equal extends Thread {
            Equal(Runnable task) {
                super(task);
            }

            @Override
            public boolean equals(Object other) {
                return other instanceof Equal;
            }

            @Override
            public int hashCode() {
                return 1;
            }
        }
        Thread owner = new Equal(() -> holds.enter("a", acquire("a")));
        owner.start();
        owner.join();
        AtomicReference<Boolean> entered = new AtomicReference<>();
        Thread other = new Equal(() -> entered.set(holds.reenter("a")));
        other.start();
        other.join();
        assertThat(entered.get()).isFalse();
    }

    @Test
    void threadsThatDiedAfterTheirLossLeaveNoEntriesBehind() throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            String lock = "lock-" + i;
            inThread(() -> {
                HeldLease lease = acquire(lock);
                holds.enter(lock, lease);
                lease.close();
            });
        }
        assertThat(holds.size()).isLessThan(200);
    }

    @Test
    void theEntryOfADeadThreadGoesWhenItsLeaseEnds() throws InterruptedException {
        AtomicReference<HeldLease> lease = new AtomicReference<>();
        inThread(() -> {
            lease.set(acquire("a"));
            holds.enter("a", lease.get());
        });
        assertThat(holds.size()).isEqualTo(1);
        lease.get().close();
        assertThat(holds.size()).isZero();
    }

    private static void inThread(Runnable task) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        thread.start();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(failure.get()).isNull();
    }
}
