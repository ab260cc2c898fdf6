package dev.leasehold.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** ShedLock's own contract, as its 6.6.1 has published it, run with today's ShedLock. */
@Tag("slow")
class ShedLockContractTest extends AbstractExtensibleLockProviderIntegrationTest {

    private final Leasehold leasehold = Leasehold.connect("memory:");

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return new LeaseholdLockProvider(leasehold);
    }

    @Override
    protected void assertLocked(String name) {
        assertThat(isHeld(name)).as(name).isTrue();
    }

    @Override
    protected void assertUnlocked(String name) {
        assertThat(isHeld(name)).as(name).isFalse();
    }

    private boolean isHeld(String name) {
        try {
            return leasehold.info(name).map(found -> found.holder() != null).orElse(false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() {
        leasehold.close();
    }
}
