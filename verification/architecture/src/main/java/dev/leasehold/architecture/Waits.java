package dev.leasehold.architecture;

import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A test waits for a minute for what must happen. No correct program needs it, however busy its machine is; a wrong one costs the
 * test a minute. What must not take long is shown otherwise: see {@code BoundsTest}.
 */
public final class Waits {

    /** In seconds. */
    public static final long A_MINUTE = 60;

    private Waits() {}

    /** Waits for a condition for {@link #A_MINUTE}. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(A_MINUTE, TimeUnit.SECONDS);
    }
}
