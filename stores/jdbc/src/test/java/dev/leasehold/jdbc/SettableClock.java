package dev.leasehold.jdbc;

import dev.leasehold.jdbc.sqlite.ExpiryClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A machine's clock that stands still until a test moves it. */
public final class SettableClock implements ExpiryClock {

    private final AtomicLong micros = new AtomicLong(5_000_000);
    private final AtomicLong wall = new AtomicLong(1_800_000_000_000_000L);
    private volatile String boot = "boot-1";

    public void advance(Duration by) {
        micros.addAndGet(by.toNanos() / 1000);
        wall.addAndGet(by.toNanos() / 1000);
    }

    public void moveWall(Duration by) {
        wall.addAndGet(by.toNanos() / 1000);
    }

    /** Starts the machine again: the monotonic clock begins anew. */
    public void reboot(String name) {
        boot = name;
        micros.set(1_000_000);
    }

    @Override
    public String boot() {
        return boot;
    }

    @Override
    public long micros() {
        return micros.get();
    }

    @Override
    public long wallMicros() {
        return wall.get();
    }
}
