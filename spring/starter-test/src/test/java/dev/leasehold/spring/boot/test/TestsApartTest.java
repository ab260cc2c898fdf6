package dev.leasehold.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.LockBusyException;
import dev.leasehold.spring.LockInsideTransactionException;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.OnBusy;
import dev.leasehold.test.TestLeasehold;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A test finds the locks as if it were the first, and is told what its own transaction does to them. */
@SpringBootTest
@AutoConfigureTestLeasehold
@Timeout(
        value = 3,
        unit = TimeUnit.MINUTES,
        threadMode = Timeout.ThreadMode.SAME_THREAD) // Transactions are bound to it.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TestsApartTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Jobs.class, Starter.class})
    static class Application {

        @Bean
        static AbstractPlatformTransactionManager transactionManager() {
            return new NoTransactions();
        }
    }

    static final class NoTransactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return "none";
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    static class Jobs {

        @Locked(name = "nightly", onBusy = OnBusy.SKIP, minHold = "1h")
        public Optional<String> nightly() {
            return Optional.of("done");
        }

        @Locked(name = "started", onBusy = OnBusy.SKIP, minHold = "1h")
        public Optional<String> started() {
            return Optional.of("done");
        }
    }

    /** Runs a job as the application starts. */
    record Starter(Jobs jobs) implements SmartInitializingSingleton {
        @Override
        public void afterSingletonsInstantiated() {
            assertThat(jobs.started()).contains("done");
        }
    }

    @Autowired
    private Jobs jobs;

    @Autowired
    private TestLeasehold locks;

    /** The second was skipped, in silence. */
    @RepeatedTest(2)
    void aJobRunsInEachTest() {
        assertThat(jobs.nightly()).contains("done");
        assertThat(jobs.nightly()).as("again").isEmpty();
    }

    /**
     * A job that ran before, as those of a scheduler do, had the test fail: nobody else could hold the lock. The first
     * test, since what the end of another frees would hide that.
     */
    @Test
    @Order(1)
    @BusyLock("started")
    void aJobThatRanBeforeLeavesTheLock() {
        assertThat(jobs.started()).isEmpty();
    }

    @Test
    void theHolderIsNamedWhereALockCannotBeHeld() throws Exception {
        locks.leasehold()
                .lock("held")
                .run(lease -> assertThatThrownBy(() -> locks.holdElsewhere("held"))
                        .hasMessageContaining("'held' is taken by")
                        .hasMessageContaining("under test")
                        .hasMessageContaining("until 2026-01-01T00:00:30Z"));
    }

    @Test
    void anyHolderCounts() throws Exception {
        var semaphore = locks.leasehold().semaphore("permits", 2);
        try (var other = locks.anotherClient().semaphore("permits", 2).acquire();
                var ours = semaphore.acquire()) {
            assertThat(locks.isHeldHere("permits")).isTrue();
            locks.lose("permits");
            assertThat(ours.isValid()).isFalse();
            assertThat(other.isValid()).isTrue();
        }
    }

    @Test
    @Transactional
    void theTestsOwnTransactionIsNamed() {
        Throwable refused = catchThrowable(jobs::nightly);
        assertThat(refused).isInstanceOf(LockInsideTransactionException.class);
        assertThat(LeaseholdExtension.explained(refused))
                .hasMessageContaining("the transaction is the test's own")
                .hasMessageContaining("@Transactional(propagation = Propagation.NOT_SUPPORTED)")
                .hasCause(refused);
        assertThat(LeaseholdExtension.explained(new LockBusyException("a", "no wait")))
                .isInstanceOf(LockBusyException.class);
    }
}
