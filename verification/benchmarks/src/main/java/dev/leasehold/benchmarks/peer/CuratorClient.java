package dev.leasehold.benchmarks.peer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;

/**
 * A Curator client uses Curator's recipes. A holder that dies is gone with its session, whose time-out is the lease of the
 * others.
 */
final class CuratorClient implements LockClient {

    private final CuratorFramework client;

    CuratorClient(Target target) throws InterruptedException {
        client = CuratorFrameworkFactory.newClient(
                target.uri().replace("zookeeper://", ""),
                (int) target.lease().toMillis(),
                15_000,
                new RetryOneTime(100));
        client.start();
        client.blockUntilConnected();
    }

    @Override
    public LockHandle lock(String name) {
        return handle(new InterProcessMutex(client, "/curator/" + name));
    }

    @Override
    public LockHandle permit(String name, int permits) {
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, "/curator/" + name, permits);
        return new LockHandle() {
            private Lease held;

            @Override
            public void acquire() throws Exception {
                held = semaphore.acquire();
            }

            @Override
            public void release() {
                semaphore.returnLease(held);
            }
        };
    }

    @Override
    public LockHandle read(String name) {
        return handle(new InterProcessReadWriteLock(client, "/curator/" + name).readLock());
    }

    @Override
    public LockHandle write(String name) {
        return handle(new InterProcessReadWriteLock(client, "/curator/" + name).writeLock());
    }

    private static LockHandle handle(InterProcessMutex mutex) {
        return new LockHandle() {
            @Override
            public void acquire() throws Exception {
                mutex.acquire();
            }

            @Override
            public void release() throws Exception {
                mutex.release();
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
