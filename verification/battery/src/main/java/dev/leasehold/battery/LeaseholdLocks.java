package dev.leasehold.battery;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Leasehold's locks are our own: a mutex, readers and writers, and permits. */
final class LeaseholdLocks implements Locks {

    private static final Duration CONNECTING = Duration.ofSeconds(30);
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(3);
    private static final String MUTEX = "battery-mutex";
    private static final String RW = "battery-rw";
    private static final String SEMAPHORE = "battery-permits";

    /** The locks that every run uses. */
    static final List<String> NAMES = List.of(MUTEX, RW, SEMAPHORE);

    private final Leasehold leasehold;
    private int further;

    LeaseholdLocks(String uri, String label, Duration lease, boolean renewing) {
        leasehold = Leasehold.builder()
                .uri(uri)
                .label(label)
                .options(LockOptions.defaults().withLeaseDuration(lease).withAutoRenew(renewing))
                .storeTimeout(STORE_TIMEOUT)
                .build();
    }

    /** Draws so many further mutexes now and then. */
    void useFurther(int names) {
        further = names;
    }

    @Override
    public void connect() throws InterruptedException {
        long end = System.nanoTime() + CONNECTING.toNanos();
        while (true) {
            try {
                leasehold.check();
                return;
            } catch (LockException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(100); // After a failure the next ones come at once for a while.
            }
        }
    }

    /** Draws a kind of lock; a mutex where the store refuses that kind. */
    @Override
    public Wanted draw(Random random) {
        if (further > 0 && random.nextInt(3) > 0) {
            String name = "battery-" + random.nextInt(further);
            return new Wanted(name, 1, leasehold.lock(name));
        }
        int choice = random.nextInt(10);
        try {
            return switch (choice) {
                case 6 -> writer();
                case 7, 8 -> reader();
                case 9 -> permit(random);
                default -> mutex();
            };
        } catch (UnsupportedOperationException e) {
            return mutex();
        }
    }

    /** Draws a permit of two or of three, as while the number is being changed, or one beside the readers and writers. */
    private Wanted permit(Random random) {
        int permits = 2 + random.nextInt(2);
        String name = random.nextInt(3) == 0 ? RW : SEMAPHORE;
        return new Wanted(name, permits, leasehold.semaphore(name, permits));
    }

    @Override
    public Wanted mutex() {
        return new Wanted(MUTEX, 1, leasehold.lock(MUTEX));
    }

    @Override
    public Wanted writer() {
        return new Wanted(RW, 1, leasehold.readWriteLock(RW).write());
    }

    @Override
    public Wanted reader() {
        return new Wanted(RW, Integer.MAX_VALUE, leasehold.readWriteLock(RW).read());
    }

    @Override
    public Hold acquire(Wanted wanted) throws Failed, InterruptedException {
        try {
            return new Held(((DistributedLock) wanted.lock()).acquire());
        } catch (LockException e) {
            throw new Failed(e);
        }
    }

    @Override
    public Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed, InterruptedException {
        try {
            return ((DistributedLock) wanted.lock()).tryAcquire(atMost).map(Held::new);
        } catch (LockException e) {
            throw new Failed(e);
        }
    }

    @Override
    public void close() {
        leasehold.close();
    }

    private record Held(Lease lease) implements Hold {

        @Override
        public long token() {
            return lease.token();
        }

        @Override
        public int slot() {
            return lease.slot().orElse(-1);
        }

        @Override
        public Duration remaining() {
            return lease.remaining();
        }

        @Override
        public boolean isValid() {
            return lease.isValid();
        }

        @Override
        public void listen(Runnable atRisk, Runnable lost) {
            lease.addListener((changed, state) -> {
                if (state == LeaseState.AT_RISK) {
                    atRisk.run();
                } else if (state == LeaseState.LOST) {
                    lost.run();
                }
            });
        }

        @Override
        public boolean release() throws Failed, InterruptedException {
            try {
                return lease.release() == LeaseState.RELEASED;
            } catch (LockException e) {
                throw new Failed(e);
            } finally {
                lease.close();
            }
        }
    }
}
