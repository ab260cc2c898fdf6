package dev.leasehold.redis.node;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.WaitingRules;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Foreign holders are polled for: they have locks that are shared with clients of other kinds ({@code
 * leasehold.keys=plain}), which announce no release. So the first waiter in our queue reads the lock's key again and again,
 * and asks for the lock when the key is gone.
 *
 * <p>It looks more rarely the longer it has waited: a release is found late by at most an eighth of the time waited,
 * between 2 and 100 ms. A look only reads, so it can come as late as it likes. Looking ends with the claim: when it is
 * granted, when somebody else is first, when the client has stopped asking, and when a look fails; the client's own asking
 * begins it again.
 */
public final class ForeignHolders {

    private static final long SHORTEST_NANOS = 2_000_000L;
    private static final long LONGEST_NANOS = 100_000_000L;
    private static final int PART_OF_WAIT = 8;
    private static final long GONE = -2;

    /** A watch is for one lock that this client is the first to wait for. */
    private static final class Watch {
        final long since;
        volatile long until;

        Watch(long since) {
            this.since = since;
        }
    }

    private final RedisNode node;
    private final TimeSource time;
    private final NodeListener listener;
    private final ConcurrentMap<String, Watch> watches = new ConcurrentHashMap<>();

    ForeignHolders(RedisNode node, TimeSource time, NodeListener listener) {
        this.node = node;
        this.time = time;
        this.listener = listener;
    }

    void answered(Claim claim, ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Busy busy) {
            busy(claim.lock(), claim.lease(), busy.holder(), busy.place());
        } else {
            ended(claim.lock());
        }
    }

    /** Notes the holder of a lock for which a claim waits at this node, at some place in line or at none. */
    public void busy(String lock, Duration lease, @Nullable HolderInfo holder, int place) {
        if (place != 1 || !isForeign(holder)) {
            ended(lock);
            return;
        }
        long now = time.nanos();
        Watch fresh = new Watch(now);
        Watch known = watches.putIfAbsent(lock, fresh);
        Watch watch = known == null ? fresh : known;
        watch.until = now + WaitingRules.aliveFor(lease).toNanos();
        if (known == null) {
            lookLater(lock, watch, Long.MAX_VALUE);
        }
    }

    /** Ends the polling, because no claim waits for the lock at this node. */
    public void ended(String lock) {
        watches.remove(lock);
    }

    /** Returns whether a holder is a client of another kind; only those have no token. */
    private static boolean isForeign(@Nullable HolderInfo holder) {
        return holder != null && holder.token() == 0;
    }

    private void lookLater(String lock, Watch watch, long nanosLeft) {
        long pause = Math.min(LONGEST_NANOS, (time.nanos() - watch.since) / PART_OF_WAIT);
        pause = Math.max(SHORTEST_NANOS, Math.min(pause, nanosLeft));
        time.schedule(Duration.ofNanos(pause), () -> look(lock, watch));
    }

    private void look(String lock, Watch watch) {
        if (watches.get(lock) != watch) {
            return;
        }
        if (time.nanos() - watch.until >= 0) {
            watches.remove(lock, watch);
            return;
        }
        node.scripts()
                .ask(
                        "a look at '" + lock + "'",
                        CommandType.PTTL,
                        new CommandArgs<>(RedisConnection.CODEC).addKey(lock),
                        (sentAt, answer) -> Reply.number(answer.get(0)))
                .whenComplete((left, failure) -> {
                    if (failure != null) {
                        watches.remove(lock, watch);
                    } else if (left == GONE) {
                        if (watches.remove(lock, watch)) {
                            listener.doubt(lock);
                        }
                    } else {
                        lookLater(lock, watch, left < 0 ? Long.MAX_VALUE : left * 1_000_000 + 1_000_000);
                    }
                });
    }
}
