package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Until when one session certainly lives, by what its servers have answered. Pure; not thread-safe.
 *
 * <p>Why it can be believed. Only the leader ends sessions: T (the session time-out) after it last heard of one. It hears
 * of a session at once when it is made or moves to another server, because that server must ask it; else from the server's
 * answers to its pings, one each half tick, which name the sessions that have sent something since. A tick is at most T/2
 * (servers refuse shorter time-outs unless told otherwise), so what reached a server has been heard by the leader T/4
 * later, or the two are cut off from each other.
 *
 * <p>Whether they are cut off is what an answered write tells: the leader decides it, and refuses it for a session that it
 * has ended. It comes to the leader behind the answers to earlier pings. So with the answer to a write sent at {@code s},
 * every earlier request of ours, sent at {@code r ≤ s − T/4} and answered, is proven to have been heard, and the session lives
 * until {@code r + T}. While something is held, writes are T/3 apart or less, and that is {@code s + 2/3 T} or more; that
 * much, and no more, is relied on.
 *
 * <p>For the earlier request a read will do: its answer says that a server of the session's has had it, and a session that
 * moves to another server is announced to the leader. So a client that holds nothing reads each T/3, which its server answers
 * by itself and which spares a ping of the ZooKeeper client's; and its next write is worth 5/12 T at once.
 *
 * <p>Alone, reads, pings of the client, and "connected" prove nothing: a server that is cut off from its leader still answers
 * them. And if this machine slept between two requests, what was proven before is worth nothing, because the clock that it is
 * measured by stood still.
 */
final class SessionProof {

    private final Deque<ClockReading> answered = new ArrayDeque<>();
    private long timeout;
    private @Nullable ClockReading newest;
    private @Nullable ClockReading heard;
    private @Nullable ClockReading seen;

    /** Begins without a proof. */
    SessionProof(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    /** The servers have agreed to another time-out, on another connection. */
    void timeout(Duration agreed) {
        timeout = agreed.toNanos();
    }

    Duration timeout() {
        return Duration.ofNanos(timeout);
    }

    /** The leader itself has heard of the session, at that time or later. */
    void heard(ClockReading at) {
        noteSleep(at);
        ClockReading known = heard;
        if (known == null || at.nanos() - known.nanos() > 0) {
            heard = at;
        }
    }

    /** A request that only the leader can answer, and only while the session lives, was answered. */
    void answered(ClockReading sentAt) {
        noteSleep(sentAt);
        ClockReading last = newest;
        if (last != null && sentAt.nanos() - last.nanos() <= 0) {
            return;
        }
        newest = sentAt;
        while (!answered.isEmpty() && sentAt.nanos() - answered.getFirst().nanos() >= timeout / 4) {
            ClockReading early = answered.removeFirst();
            ClockReading known = heard;
            if (known == null || early.nanos() - known.nanos() > 0) {
                heard = early;
            }
        }
        remember(sentAt);
    }

    /** A request that any server can answer was answered. */
    void answeredByAnyServer(ClockReading sentAt) {
        noteSleep(sentAt);
        forgetAllButTheLastBefore(sentAt.nanos() - timeout / 4);
        remember(sentAt);
    }

    private void forgetAllButTheLastBefore(long nanos) {
        ClockReading first = answered.pollFirst();
        while (first != null && !answered.isEmpty() && answered.getFirst().nanos() - nanos <= 0) {
            first = answered.pollFirst();
        }
        if (first != null) {
            answered.addFirst(first);
        }
    }

    private void remember(ClockReading sentAt) {
        if (answered.isEmpty() || sentAt.nanos() - answered.getLast().nanos() >= timeout / 16) {
            answered.addLast(sentAt);
        }
    }

    private void noteSleep(ClockReading at) {
        ClockReading last = seen;
        if (last != null && at.divergenceSince(last) > timeout / 10) {
            answered.clear();
            newest = null;
            heard = null;
        }
        if (last == null || at.nanos() - last.nanos() > 0) {
            seen = at;
        }
    }

    /** When the last write was sent that was answered, or null before the first. */
    @Nullable ClockReading lastSentAt() {
        return newest;
    }

    /** When the last request was sent that was answered, of whatever kind, or null before the first. */
    @Nullable ClockReading lastSeenAt() {
        return seen;
    }

    /**
     * What can be relied on.
     *
     * @return null while nothing is proven
     */
    @Nullable Validity validity() {
        ClockReading last = newest;
        ClockReading touched = heard;
        if (last == null || touched == null) {
            return null;
        }
        long byLast = Validity.of(last, Duration.ofNanos(timeout / 3 * 2)).deadline();
        long byTouch = Validity.of(touched, Duration.ofNanos(timeout)).deadline();
        return new Validity(last, byTouch - byLast < 0 ? byTouch : byLast);
    }
}
