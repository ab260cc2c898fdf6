package dev.leasehold.test;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A recording observer writes down the events that it gets, in words. */
final class RecordingObserver implements LeaseholdObserver {

    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<LockCall> calls = new ConcurrentLinkedQueue<>();

    /** Returns what was told since the last time. */
    List<String> told() {
        List<String> all = new ArrayList<>();
        for (String each = told.poll(); each != null; each = told.poll()) {
            all.add(each);
        }
        return all;
    }

    LockCall onlyCall() {
        return calls.stream()
                .reduce((one, other) -> {
                    throw new AssertionError(calls);
                })
                .orElseThrow();
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        calls.add(call);
        told.add("asked " + call.kind() + " " + call.lock());
        return this;
    }

    @Override
    public void acquired(LockCall call, LockGrant grant) {
        told.add("acquired after " + seconds(grant.waited()) + (grant.handedOver() ? ", handed over" : ""));
    }

    @Override
    public void busy(LockCall call, Duration waited) {
        told.add("busy after " + seconds(waited));
    }

    @Override
    public void failed(LockCall call, Duration waited, Throwable failure) {
        told.add("failed after " + seconds(waited) + ": " + failure.getClass().getSimpleName());
    }

    @Override
    public void withdrawn(LockCall call, Duration waited) {
        told.add("withdrawn after " + seconds(waited));
    }

    @Override
    public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
        told.add(late ? "renewed late" : "renewed");
    }

    @Override
    public void renewalFailed(LockCall call, LockGrant grant, Duration took, LockException failure) {
        told.add("renewal failed");
    }

    @Override
    public void atRisk(LockCall call, LockGrant grant, LeaseState state) {
        told.add("at risk: " + state);
    }

    @Override
    public void lost(LockCall call, LockGrant grant, Duration held) {
        told.add("lost after " + seconds(held));
    }

    @Override
    public void released(LockCall call, LockGrant grant, Duration held) {
        told.add("released after " + seconds(held));
    }

    @Override
    public void elected(LockCall call, LockGrant grant) {
        told.add("elected");
    }

    @Override
    public void demoted(LockCall call, LockGrant grant, Duration led) {
        told.add("demoted after " + seconds(led));
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + " s";
    }
}
