package dev.leasehold.redis;

import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue is where attempts stand in line for a {@link ModelLock}; who has been silent for too long is passed over. */
final class ModelQueue {

    /** A waiter is an attempt that stands in line. */
    record Waiter(ClaimId attempt, boolean shares, int spare, long periodMicros, long aliveUntil) {}

    private final List<Waiter> all = new ArrayList<>();

    ModelQueue copy() {
        ModelQueue copy = new ModelQueue();
        copy.all.addAll(all);
        return copy;
    }

    void age(long micros) {
        all.replaceAll(
                one -> new Waiter(one.attempt, one.shares, one.spare, one.periodMicros, one.aliveUntil - micros));
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean knows(ClaimId attempt, long now) {
        return all.stream().anyMatch(waiter -> waiter.attempt.equals(attempt) && waiter.aliveUntil > now);
    }

    List<String> alive(long now) {
        return all.stream()
                .filter(waiter -> waiter.aliveUntil > now)
                .map(waiter -> waiter.attempt.toString())
                .toList();
    }

    boolean remove(ClaimId attempt) {
        return all.removeIf(waiter -> waiter.attempt.equals(attempt));
    }

    void removeIfSilent(ClaimId attempt, long now) {
        all.removeIf(waiter -> waiter.aliveUntil <= now && waiter.attempt.equals(attempt));
    }

    @Nullable Waiter first() {
        return all.isEmpty() ? null : all.get(0);
    }

    void removeFirst() {
        all.remove(0);
    }

    /** Removes those in front; further back they are passed over when it is their turn, or leave when the first one asks. */
    void dropSilent(long now) {
        while (!all.isEmpty() && all.get(0).aliveUntil <= now) {
            all.remove(0);
        }
    }

    /** Returns the place of a ballot's attempt, which joins if the ballot says so; 0 if it has none. */
    int stand(Ballot ballot, long now) {
        int index = -1;
        for (int i = 0; i < all.size(); i++) {
            index = all.get(i).attempt.equals(ballot.attempt()) ? i : index;
        }
        if (index < 0 && ballot.kind() != Ballot.Kind.QUEUE) {
            return 0;
        }
        Waiter waiter = new Waiter(
                ballot.attempt(),
                ballot.shares(),
                ballot.spare(),
                WaitingRules.claimPeriod(ballot.lease()).toNanos() / 1000,
                now + WaitingRules.aliveFor(ballot.lease()).toNanos() / 1000);
        if (index < 0) {
            all.add(waiter);
            return all.size();
        }
        all.set(index, waiter);
        if (index == 0) {
            all.removeIf(one -> one.aliveUntil <= now);
        }
        return index + 1;
    }
}
