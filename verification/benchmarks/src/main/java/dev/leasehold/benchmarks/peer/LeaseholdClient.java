package dev.leasehold.benchmarks.peer;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.benchmarks.server.StoreKind;
import java.time.Duration;

/** A Leasehold client is ours as users have it: token, queue and renewal on. */
final class LeaseholdClient implements LockClient {

    /** On a machine that is too busy a benchmark shall be slow rather than fail. */
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(60);

    private final Leasehold client;

    /**
     * Makes one.
     *
     * @param localHandOvers in a row; negative for the default
     */
    LeaseholdClient(Target target, int localHandOvers) {
        String uri = target.uri();
        if ((target.store() == StoreKind.POSTGRES || target.store() == StoreKind.MARIADB) && target.threads() > 8) {
            uri += "&leasehold.connections=" + target.threads();
        }
        if (target.store() == StoreKind.ZOOKEEPER) {
            uri += "?leasehold.sessionTimeout=" + target.lease().toMillis(); // There it is the session that dies.
        }
        LeaseholdBuilder builder = Leasehold.builder()
                .uri(uri)
                .storeTimeout(STORE_TIMEOUT)
                .options(LockOptions.defaults().withLeaseDuration(target.lease()));
        client = (localHandOvers < 0 ? builder : builder.localHandOvers(localHandOvers)).build();
    }

    @Override
    public LockHandle lock(String name) {
        return handle(client.lock(name));
    }

    @Override
    public LockHandle permit(String name, int permits) {
        return handle(client.semaphore(name, permits));
    }

    @Override
    public LockHandle read(String name) {
        return handle(client.readWriteLock(name).read());
    }

    @Override
    public LockHandle write(String name) {
        return handle(client.readWriteLock(name).write());
    }

    private static LockHandle handle(DistributedLock lock) {
        return new LockHandle() {
            private Lease lease;

            @Override
            public void acquire() throws InterruptedException {
                lease = lock.acquire();
            }

            @Override
            public void release() throws InterruptedException {
                if (lease.release() != LeaseState.RELEASED) {
                    System.err.println("Leasehold: the lock was lost: " + lease);
                }
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
