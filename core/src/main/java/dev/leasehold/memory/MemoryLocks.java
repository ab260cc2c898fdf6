package dev.leasehold.memory;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory locks are all locks of a space. They are pure: the time goes in; the answer and the notifications come out.
 * Not thread-safe.
 *
 * <p>Locks that nobody holds or waits for are forgotten, or the space would grow with every name ever used. That must not
 * make a token decrease. So a lock is forgotten only once its last token is behind the clock, so that the clock alone gives
 * a greater one; and in case the clock is set back, the greatest of all forgotten tokens is remembered, once for all names.
 */
final class MemoryLocks {

    private static final int FEWEST_TO_SWEEP = 64;

    private final Map<LockKey, MemoryLock> locks = new HashMap<>();
    private long forgottenToken;
    private int sweepAt = FEWEST_TO_SWEEP;

    ClaimAnswer claim(LockKey key, Claim claim, String owner, ClockReading now, Notifications out) {
        MemoryLock lock = locks.get(key);
        if (lock == null) {
            sweep(now);
            lock = new MemoryLock(key.name(), forgottenToken);
            locks.put(key, lock);
        }
        return lock.claim(claim, owner, now, out);
    }

    RenewAnswer renew(LockKey key, LeaseId lease, Duration duration, ClockReading now) {
        MemoryLock lock = locks.get(key);
        return lock == null ? new RenewAnswer.Lost() : lock.renew(lease, duration, now);
    }

    RenewAnswer downgrade(LockKey key, LeaseId lease, Duration duration, ClockReading now, Notifications out) {
        MemoryLock lock = locks.get(key);
        return lock == null ? new RenewAnswer.Lost() : lock.downgrade(lease, duration, now, out);
    }

    ReleaseAnswer release(LockKey key, LeaseId lease, Duration keepFor, ClockReading now, Notifications out) {
        MemoryLock lock = locks.get(key);
        return lock == null ? ReleaseAnswer.NOT_HELD : lock.release(lease, keepFor, now, out);
    }

    boolean withdraw(LockKey key, ClaimId claim, ClockReading now, Notifications out) {
        MemoryLock lock = locks.get(key);
        return lock != null && lock.withdraw(claim, now, out);
    }

    boolean breakLease(LockKey key, long token, ClockReading now, Notifications out) {
        MemoryLock lock = locks.get(key);
        return lock != null && lock.breakLease(token, now, out);
    }

    List<LockInfo> inspect(String namespace, NamePattern pattern, ClockReading now) {
        String only = pattern.onlyName();
        if (only != null) {
            MemoryLock lock = locks.get(new LockKey(namespace, only));
            LockInfo info = lock == null ? null : info(lock, now);
            return info == null ? List.of() : List.of(info);
        }
        return locks.entrySet().stream()
                .filter(entry -> entry.getKey().namespace().equals(namespace))
                .filter(entry -> pattern.matches(entry.getKey().name()))
                .map(entry -> info(entry.getValue(), now))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(LockInfo::name))
                .toList();
    }

    int size() {
        return locks.size();
    }

    private static @Nullable LockInfo info(MemoryLock lock, ClockReading now) {
        return lock.isIdle(now) ? null : lock.info(now);
    }

    // It runs only when the number of locks has doubled, so that the cost per claim stays constant.
    private void sweep(ClockReading now) {
        if (locks.size() < sweepAt) {
            return;
        }
        locks.values().removeIf(lock -> {
            boolean forget = lock.isIdle(now) && lock.last() < now.wallMicros();
            if (forget) {
                forgottenToken = Math.max(forgottenToken, lock.last());
            }
            return forget;
        });
        sweepAt = Math.max(FEWEST_TO_SWEEP, 2 * locks.size());
    }
}
