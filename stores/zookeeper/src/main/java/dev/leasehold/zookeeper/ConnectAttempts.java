package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.zookeeper.client.HostProvider;
import org.jspecify.annotations.Nullable;

/**
 * Connect attempts are a host provider that chooses servers like another, and remembers when the attempt began that has
 * led to a session: the same thread of the handle calls both methods, so they belong together.
 */
final class ConnectAttempts implements HostProvider {

    private final HostProvider chooser;
    private final TimeSource time;
    private volatile @Nullable ClockReading began;
    private volatile @Nullable ClockReading connectedSince;

    ConnectAttempts(HostProvider chooser, TimeSource time) {
        this.chooser = chooser;
        this.time = time;
    }

    @Override
    public int size() {
        return chooser.size();
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
        InetSocketAddress server = chooser.next(spinDelay);
        began = time.now();
        return server;
    }

    @Override
    public void onConnected() {
        connectedSince = began;
        chooser.onConnected();
    }

    @Override
    public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
        return chooser.updateServerList(servers, current);
    }

    @Nullable ClockReading connectedSince() {
        return connectedSince;
    }
}
