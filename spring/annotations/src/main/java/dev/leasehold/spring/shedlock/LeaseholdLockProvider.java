package dev.leasehold.spring.shedlock;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock provider by which {@code @SchedulerLock} takes its locks from Leasehold. {@code lockAtMostFor} is a lease that is not
 * renewed, {@code lockAtLeastFor} keeps the lock taken after a quick job. A lock of the same name that is held by Leasehold's
 * own means is busy for ShedLock, and the other way round. Thread-safe.
 *
 * <p>A {@code lockAtMostFor} below 100 ms counts as 100 ms. A store that does not answer makes {@code lock} fail with a {@link
 * LockException}, which is not taken for a busy lock. An extension never shortens what is left; its {@code lockAtLeastFor} is
 * kept by this process alone.
 */
public final class LeaseholdLockProvider implements ExtensibleLockProvider {

    private static final long IDLE_SECONDS = 1;

    private final Leasehold leasehold;

    /** Has a thread only while there are releases to come. */
    private final ScheduledThreadPoolExecutor releases = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(null, task, "leasehold-shedlock-releases", 0, false);
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Makes a provider.
     *
     * @param leasehold the client; never closed here
     */
    public LeaseholdLockProvider(Leasehold leasehold) {
        this.leasehold = Objects.requireNonNull(leasehold, "leasehold");
        releases.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        releases.allowCoreThreadTimeOut(true);
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(leaseOf(configuration.getLockAtMostFor()))
                .withAutoRenew(false)
                .withMaxHold(LockOptions.FOREVER)
                .withMinHold(configuration.getLockAtLeastFor());
        try {
            return leasehold
                    .lock(configuration.getName(), options)
                    .tryAcquire()
                    .map(lease -> new Held(configuration, lease, false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException(
                    "the thread was interrupted while it asked for the lock '" + configuration.getName()
                            + "'; the lock is not held",
                    e);
        }
    }

    private static Duration leaseOf(Duration lockAtMostFor) {
        return lockAtMostFor.compareTo(LockOptions.SHORTEST_LEASE) < 0 ? LockOptions.SHORTEST_LEASE : lockAtMostFor;
    }

    /**
     * A held lock is one of ShedLock's under a lease. After an extension the lease itself does not know how long the
     * lock has to stay taken.
     */
    private final class Held extends AbstractSimpleLock {

        private final Lease lease;
        private final boolean extended;

        Held(LockConfiguration configuration, Lease lease, boolean extended) {
            super(configuration);
            this.lease = lease;
            this.extended = extended;
        }

        @Override
        protected void doUnlock() {
            // Not ShedLock's unlock time: it is the present, read again, and so lies ahead at the end of a millisecond.
            Duration stays = Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil());
            if (extended && stays.compareTo(Duration.ZERO) > 0) {
                releases.schedule((Runnable) lease::releaseAsync, stays.toMillis() + 1, TimeUnit.MILLISECONDS);
            } else {
                lease.close();
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration changed) {
            if (!ClockProvider.now().isBefore(lockConfiguration.getLockAtMostUntil())) {
                lease.close(); // A lease lasts for 100 ms at least.
                return Optional.empty();
            }
            try {
                lease.extend(leaseOf(changed.getLockAtMostFor()));
                return Optional.of(new Held(changed, lease, true));
            } catch (dev.leasehold.LeaseLostException e) {
                return Optional.empty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LockException(
                        "the thread was interrupted while it extended the lock '" + lease.name()
                                + "'; it may be extended or not, and is held until "
                                + lease.remaining() + " from now",
                        e);
            }
        }
    }
}
