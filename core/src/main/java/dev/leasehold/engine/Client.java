package dev.leasehold.engine;

import dev.leasehold.DistributedLock;
import dev.leasehold.LockInfo;
import dev.leasehold.LockOptions;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.spi.NamePattern;
import java.util.List;

/** One client. Skeleton: the engine is being written. */
public final class Client {

    private final ClientSettings settings;

    public Client(ClientSettings settings) {
        this.settings = settings;
    }

    public ClientSettings settings() {
        return settings;
    }

    public DistributedLock lock(String name, LockOptions options) {
        throw new UnsupportedOperationException("being written");
    }

    public ReentrantDistributedLock reentrantLock(String name, LockOptions options) {
        throw new UnsupportedOperationException("being written");
    }

    public List<LockInfo> inspect(NamePattern pattern) throws InterruptedException {
        throw new UnsupportedOperationException("being written");
    }

    public boolean breakLock(String name, long token) throws InterruptedException {
        throw new UnsupportedOperationException("being written");
    }

    public void close() {}
}
