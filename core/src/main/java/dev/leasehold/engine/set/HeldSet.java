package dev.leasehold.engine.set;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.ScopedLeases;
import dev.leasehold.engine.threads.BodyInterrupter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A held set is the leases of a set that is complete. All that it answers is computed from theirs. */
final class HeldSet implements LeaseSet, ScopedLeases {

    private final Client client;
    private final List<HeldLease> leases;
    private final CompletableFuture<LeaseState> ended = new CompletableFuture<>();

    HeldSet(Client client, List<HeldLease> leases) {
        this.client = client;
        this.leases = List.copyOf(leases);
        AtomicInteger left = new AtomicInteger(leases.size());
        CompletableFuture<LeaseState> told = ended;
        for (HeldLease lease : leases) {
            lease.hold().ended.whenComplete((state, failure) -> {
                if (state == LeaseState.LOST || left.decrementAndGet() == 0) {
                    told.complete(state);
                }
            });
        }
    }

    List<HeldLease> leases() {
        return leases;
    }

    @Override
    public List<String> names() {
        return leases.stream().map(HeldLease::name).toList();
    }

    @Override
    public long token(String name) {
        return leases.stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is not in the set " + names()))
                .token();
    }

    @Override
    public LeaseState state() {
        LeaseState worst = LeaseState.HELD;
        for (HeldLease lease : leases) {
            LeaseState state = lease.state();
            if (rank(state) > rank(worst)) {
                worst = state;
            }
        }
        return worst;
    }

    private static int rank(LeaseState state) {
        return switch (state) {
            case HELD -> 0;
            case AT_RISK -> 1;
            case UNCONFIRMED -> 2;
            case RELEASED -> 3;
            case LOST -> 4;
        };
    }

    @Override
    public Optional<String> lost() {
        return leases.stream()
                .filter(lease -> lease.state() == LeaseState.LOST)
                .findFirst()
                .map(HeldLease::name);
    }

    @Override
    public Duration remaining() {
        return leases.stream()
                .map(HeldLease::remaining)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureValid() {
        // A lost one first: it is the reason, whatever became of the others.
        lost().flatMap(name -> leases.stream()
                        .filter(lease -> lease.name().equals(name))
                        .findFirst())
                .ifPresent(HeldLease::ensureValid);
        leases.forEach(HeldLease::ensureValid);
    }

    @Override
    public CompletionStage<LeaseState> ended() {
        return client.onCallbacks(ended).minimalCompletionStage();
    }

    @Override
    public LeaseState release() throws InterruptedException {
        leases.forEach(HeldLease::end);
        LeaseState all = LeaseState.RELEASED;
        for (HeldLease lease : leases) {
            if (lease.release() == LeaseState.LOST) {
                all = LeaseState.LOST;
            }
        }
        return all;
    }

    @Override
    public void close() {
        long begun = System.nanoTime();
        leases.forEach(HeldLease::end);
        leases.forEach(lease -> lease.close(begun));
    }

    /** Has a body interrupted when one of the leases is lost. */
    @Override
    public void interrupt(BodyInterrupter body) {
        leases.forEach(lease -> lease.interrupt(body));
    }

    /** Closes all, and returns null if they were held until now, else the exception to throw. */
    @Override
    public @Nullable LeaseLostException finish() {
        List<LeaseState> before = leases.stream().map(HeldLease::look).toList();
        close();
        LeaseLostException lost = null;
        for (int i = 0; i < leases.size(); i++) {
            LeaseLostException found = leases.get(i).judge(before.get(i));
            lost = lost == null ? found : lost;
        }
        return lost;
    }

    @Override
    public String toString() {
        return "LeaseSet" + leases;
    }
}
