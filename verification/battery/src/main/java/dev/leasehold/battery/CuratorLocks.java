package dev.leasehold.battery;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's locks are its mutex. As its documentation asks, the holder listens for the state of the connection: it believes
 * nothing while that is suspended, and never again in a hold across which it was lost.
 */
final class CuratorLocks implements Locks {

    private static final String PATH = "/battery-mutex";

    private final CuratorFramework client;
    private final AtomicInteger losses = new AtomicInteger();
    private volatile boolean connected;

    CuratorLocks(String servers) {
        client = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) ZooKeeperUnderTest.SESSION.toMillis())
                .connectionTimeoutMs((int) ZooKeeperUnderTest.SESSION.toMillis())
                .retryPolicy(new ExponentialBackoffRetry(1_000, 3))
                .build();
        client.getConnectionStateListenable().addListener((from, state) -> changed(state));
        client.start();
    }

    private void changed(ConnectionState state) {
        connected = state.isConnected();
        if (state == ConnectionState.LOST) {
            losses.incrementAndGet();
        }
    }

    @Override
    public void connect() throws InterruptedException {
        client.blockUntilConnected(30, TimeUnit.SECONDS);
    }

    @Override
    public Wanted mutex() {
        return new Wanted("battery-mutex", 1, new InterProcessMutex(client, PATH));
    }

    @Override
    public Hold acquire(Wanted wanted) throws Failed, InterruptedException {
        InterProcessMutex mutex = (InterProcessMutex) wanted.lock();
        int before = losses.get();
        try {
            mutex.acquire();
            return new Held(mutex, before);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed(e);
        }
    }

    @Override
    public Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed, InterruptedException {
        InterProcessMutex mutex = (InterProcessMutex) wanted.lock();
        int before = losses.get();
        try {
            return mutex.acquire(atMost.toMillis(), TimeUnit.MILLISECONDS)
                    ? Optional.of(new Held(mutex, before))
                    : Optional.empty();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed(e);
        }
    }

    @Override
    public void close() {
        client.close();
    }

    private final class Held extends PeerHold {

        private final InterProcessMutex mutex;
        private final int lossesBefore;

        Held(InterProcessMutex mutex, int lossesBefore) {
            this.mutex = mutex;
            this.lossesBefore = lossesBefore;
        }

        @Override
        public boolean isValid() {
            return connected && losses.get() == lossesBefore && mutex.isAcquiredInThisProcess();
        }

        @Override
        public boolean release() throws Failed, InterruptedException {
            boolean kept = losses.get() == lossesBefore;
            try {
                mutex.release();
                return kept;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw new Failed(e);
            }
        }
    }
}
