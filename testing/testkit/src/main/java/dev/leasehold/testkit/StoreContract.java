package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A store contract has the rules of {@link dev.leasehold.spi.Store}, as tests. A store's module extends this class and says
 * how to open the store:
 *
 * <pre>{@code
 * class MyStoreContractTest extends StoreContract {
 *     @Override
 *     protected StoreFactory store() {
 *         return MyStore.at(server.address());
 *     }
 * }
 * }</pre>
 *
 * <p>What concerns shares above 1 is tested as far as the store says that it grants them ({@link
 * dev.leasehold.spi.Store#sharing}), and skipped otherwise.
 *
 * <p>The tests use names of their own, so they may share a space; those that look at all locks use namespaces of their own.
 * Time is real, with leases of 150 ms, unless the store lives by a time that the test can move. No test fails because the
 * machine is slow. Most of them wait most of the time, so they run side by side where JUnit's parallel execution is on.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
public abstract class StoreContract
        implements ClaimRules,
                QueueRules,
                HandOverRules,
                RenewRules,
                ReleaseRules,
                KeepRules,
                WithdrawRules,
                BreakRules,
                TokenRules,
                ReadWriteRules,
                PermitRules,
                SlotRules,
                SharedEndRules,
                DowngradeRules,
                InspectRules,
                NameRules,
                ConcurrencyRules,
                ClosingRules {

    private @Nullable RealTime realTime;
    private @Nullable StoreFixture fixture;

    /** Makes the contract, for subclasses. */
    protected StoreContract() {}

    /**
     * Returns the store under test. Called once per test; all clients of the test open what it returns.
     *
     * @return the store
     * @throws Exception if it cannot be made; the test fails
     */
    protected abstract StoreFactory store() throws Exception;

    /** {@return the time that the clients, and perhaps the store, live by, or null for the machine's} */
    protected @Nullable TimeSource time() {
        return null;
    }

    /**
     * Lets the time of the store and of its clients pass.
     *
     * @param duration how long
     */
    protected void letPass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Returns whether a release that has been answered has already made the next waiter the holder, for everybody to
     * see. This is so where the store is a single server. Where it is several, the waiter may have to collect the lock
     * from them first.
     *
     * @return true unless a subclass says otherwise
     */
    protected boolean handsOverInTheSameStep() {
        return true;
    }

    /**
     * Opens the fixture.
     *
     * @throws Exception if the store cannot be made
     */
    @BeforeEach
    protected final void openFixture() throws Exception {
        TimeSource time = time();
        if (time == null) {
            realTime = new RealTime();
            time = realTime;
        }
        fixture = new StoreFixture(store(), time, this::letPass, handsOverInTheSameStep());
    }

    /** Closes all clients. */
    @AfterEach
    protected final void closeFixture() {
        if (fixture != null) {
            fixture.close();
        }
        if (realTime != null) {
            realTime.close();
        }
    }

    @Override
    public final StoreFixture fixture() {
        if (fixture == null) {
            throw new IllegalStateException("no test is running");
        }
        return fixture;
    }
}
