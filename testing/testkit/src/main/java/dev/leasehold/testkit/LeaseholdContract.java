package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A Leasehold contract has the promises of {@link dev.leasehold.Leasehold} to its users, as tests over a store: the five
 * promises, the three outcomes, and what the Javadoc of the API says. A store's module extends this class and says how to
 * open the store:
 *
 * <pre>{@code
 * class MyStoreLeaseholdContractTest extends LeaseholdContract {
 *     @Override
 *     protected StoreFactory store() {
 *         return MyStore.at(server.address());
 *     }
 * }
 * }</pre>
 *
 * <p>Between the clients and the store stands a {@link FaultyStore}, so messages get lost, late and twice on every store.
 * The tests run side by side where JUnit's parallel execution is on.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
public abstract class LeaseholdContract
        implements AcquireRules,
                BodyRules,
                CallFormRules,
                BusyRules,
                FailureRules,
                ExclusionRules,
                OrderRules,
                LossRules,
                EndRules,
                CancellationRules,
                InterruptionRules,
                ThreadLockRules,
                OptionRules,
                BadInputRules,
                InspectionRules,
                ViewRules,
                SharedLockRules,
                LockSetRules,
                TryRules,
                ObserverRules,
                FaultRules,
                ClientRules {

    private @Nullable ClientFixture fixture;

    /** Makes the contract, for subclasses. */
    protected LeaseholdContract() {}

    /**
     * Returns the store under test. Called once per test; all clients of the test open what it returns.
     *
     * @return the store
     * @throws Exception if it cannot be made; the test fails
     */
    protected abstract StoreFactory store() throws Exception;

    /**
     * Opens the fixture.
     *
     * @throws Exception if the store cannot be made
     */
    @BeforeEach
    protected final void openFixture() throws Exception {
        fixture = new ClientFixture(store());
    }

    /** Closes all clients. */
    @AfterEach
    protected final void closeFixture() {
        if (fixture != null) {
            fixture.close();
        }
    }

    @Override
    public final ClientFixture fixture() {
        if (fixture == null) {
            throw new IllegalStateException("no test is running");
        }
        return fixture;
    }
}
