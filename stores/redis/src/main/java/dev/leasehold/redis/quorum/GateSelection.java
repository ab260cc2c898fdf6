package dev.leasehold.redis.quorum;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The gate selection says which node is the gate of one lock: the lowest rank, a hash of lock and run. Remembers the last of
 * each. Thread-safe.
 */
public final class GateSelection {

    private record Rank(String run, long value) {}

    private final String lock;
    private final AtomicReferenceArray<@Nullable Rank> ranks;

    public GateSelection(String lock, int nodes) {
        this.lock = lock;
        ranks = new AtomicReferenceArray<>(nodes);
    }

    /** Returns the rank of a node in a given run, to be compared as unsigned. */
    public long of(int node, String run) {
        Rank rank = ranks.get(node);
        if (rank == null || !run.equals(rank.run())) {
            rank = new Rank(run, hash(run));
            ranks.set(node, rank);
        }
        return rank.value();
    }

    private long hash(String run) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest((lock + '\n' + run).getBytes(StandardCharsets.UTF_8));
            long prefix = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                prefix = prefix << Byte.SIZE | (digest[i] & 0xff);
            }
            return prefix;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
