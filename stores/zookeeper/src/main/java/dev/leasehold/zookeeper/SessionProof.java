package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A session proof says that one session lives, and until when, by what its servers have answered. Pure; not
 * thread-safe.
 *
 * <p>Why it can be believed. Only the leader ends sessions: T (the session time-out) after it last heard of one. It hears
 * of a session at once when it is made or moves to another server, because that server must ask it; else from the server's
 * answers to its pings, which name the sessions that have sent something since the ping before. The leader pings each half
 * tick, and a tick is at most T/2 (servers refuse shorter time-outs unless told otherwise): so once in T/4, or more often. It is
 * given T/16 more, because it may be late: an eighth of a tick where T is two ticks, more than a tick where it is four.
 *
 * <p>Three answers, one after the other, prove that the leader has heard:
 *
 * <ol>
 *   <li>A request R, of whatever kind, is answered: it has reached the session's server, which will name the session.
 *   <li>A write U, sent 5/16 T or more after that answer, is answered. The leader has pinged since R was answered and before it
 *       decided U, and what it sends to a server arrives in order: so the server has answered that ping, and named the
 *       session, before it answered U.
 *   <li>A write V, sent after U was answered, is answered. What the server sends to the leader arrives in order, too: so the
 *       leader has heard of the session, and then decided V. It refuses writes of a session that it has ended, so the
 *       session lived, and now it lives for T from then on: until {@code R + T} at least, counted from when R was sent.
 * </ol>
 *
 * <p>None of the three can be left out, and none depends on how fast messages travel. Reads and "connected" prove nothing by
 * themselves: a server that is cut off from its leader still answers them. Nor does one write: that the session lived when
 * the leader decided it does not say for how long it will, because a write by way of another server is not what puts off the
 * end. But R may be a read, which costs the ensemble no more than the ping that it replaces; so the first write after a long
 * pause needs no more than one other behind it.
 *
 * <p>Nothing beyond two thirds of T from the last write is relied on, even where more is proven. And if this machine slept,
 * what was proven before is worth nothing, because the clock that it is measured by stood still; a sleep too short to tell
 * from a clock that is being set is taken off.
 */
final class SessionProof {

    private record Reached(ClockReading sentAt, long answeredAt) {}

    /**
     * A named record says that the server has named the session to the leader before any request that is sent from
     * {@code since} on.
     */
    private record Named(ClockReading sentAt, long since) {}

    private final Deque<Reached> reached = new ArrayDeque<>();
    private long timeout;
    private @Nullable ClockReading seen;
    private @Nullable Named named;
    private @Nullable ClockReading heard;
    private @Nullable ClockReading written;
    private @Nullable ClockReading asked;

    /** Begins without a proof. */
    SessionProof(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    /** Notes that the servers have agreed to another time-out, on another connection. */
    void timeout(Duration agreed) {
        timeout = agreed.toNanos();
    }

    Duration timeout() {
        return Duration.ofNanos(timeout);
    }

    /** Notes that the leader itself has heard of the session, at that time or later. */
    void heard(ClockReading at) {
        noteSleep(at);
        heard = later(heard, at);
    }

    private static ClockReading later(@Nullable ClockReading known, ClockReading other) {
        return known == null || other.nanos() - known.nanos() > 0 ? other : known;
    }

    /** Notes that a request of whatever kind was answered. */
    void reached(ClockReading sentAt, ClockReading now) {
        if (isBelievable(sentAt, now)) {
            remember(sentAt, now);
        }
    }

    /** Notes that a request was answered that only the leader can answer, and only while the session lives. */
    void written(ClockReading sentAt, ClockReading now) {
        if (!isBelievable(sentAt, now)) {
            return;
        }
        Named before = named;
        if (before != null && sentAt.nanos() - before.since() >= 0) {
            heard(before.sentAt());
            named = null;
        }
        if (named == null) {
            Reached last = lastNamedBefore(sentAt);
            named = last == null ? null : new Named(last.sentAt(), now.nanos());
        }
        written = later(written, sentAt);
        remember(sentAt, now);
    }

    private @Nullable Reached lastNamedBefore(ClockReading sentAt) {
        Reached last = null;
        while (!reached.isEmpty() && sentAt.nanos() - reached.getFirst().answeredAt() >= timeout / 16 * 5) {
            last = reached.removeFirst();
        }
        return last;
    }

    private void remember(ClockReading sentAt, ClockReading now) {
        asked = later(asked, sentAt);
        while (!reached.isEmpty() && now.nanos() - reached.getFirst().sentAt().nanos() >= timeout) {
            reached.removeFirst();
        }
        if (reached.isEmpty() || sentAt.nanos() - reached.getLast().sentAt().nanos() >= timeout / 16) {
            reached.addLast(new Reached(sentAt, now.nanos()));
        }
    }

    private boolean isBelievable(ClockReading sentAt, ClockReading now) {
        noteSleep(now);
        return now.divergenceSince(sentAt) <= timeout / 10;
    }

    private void noteSleep(ClockReading at) {
        ClockReading last = seen;
        if (last != null && at.nanos() - last.nanos() < 0) {
            return;
        }
        if (last != null && at.divergenceSince(last) > timeout / 10) {
            reached.clear();
            named = null;
            heard = null;
            written = null;
            asked = null;
        }
        seen = at;
    }

    /** Returns when the last write was sent that was answered, or null before the first. */
    @Nullable ClockReading lastWrittenAt() {
        return written;
    }

    /** Returns when the last request was sent that was answered, or null before the first. */
    @Nullable ClockReading lastAskedAt() {
        return asked;
    }

    /** Returns whether one more write would prove considerably more. */
    boolean gainsByAnotherWrite() {
        Named next = named;
        ClockReading last = written;
        if (next == null || last == null) {
            return false;
        }
        Validity now = validity();
        return now == null || deadline(last, next.sentAt()) - now.deadline() >= timeout / 12;
    }

    /**
     * Returns the validity that is proven.
     *
     * @return null while nothing is proven
     */
    @Nullable Validity validity() {
        ClockReading last = written;
        ClockReading touched = heard;
        if (last == null || touched == null || last.divergenceSince(touched) > timeout / 10) {
            return null;
        }
        return new Validity(last, deadline(last, touched));
    }

    private long deadline(ClockReading last, ClockReading touched) {
        long slept = Math.max(0, last.nanosSince(touched) - (last.nanos() - touched.nanos()));
        long byLast = Validity.of(last, Duration.ofNanos(timeout / 3 * 2)).deadline();
        long byTouch = Validity.of(touched, Duration.ofNanos(timeout)).deadline() - slept;
        return byTouch - byLast < 0 ? byTouch : byLast;
    }
}
