package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClaimAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Who waits for the answer to a claim. That it is not granted yet is told only to those who had asked before the question was
 * sent that has shown it: what is seen may be older than a later caller's, who therefore waits for the next. A grant or an end
 * is for all. Used within turns.
 */
final class PendingCallers {

    private List<CompletableFuture<ClaimAnswer>> before = new ArrayList<>();
    private List<CompletableFuture<ClaimAnswer>> later = new ArrayList<>();

    void add(CompletableFuture<ClaimAnswer> caller) {
        later.add(caller);
    }

    /** Something is sent now, that will answer all who have asked by now. */
    void sending() {
        before.addAll(later);
        later = new ArrayList<>();
    }

    /** The answer to what was sent last. */
    void answer(ClaimAnswer answer) {
        List<CompletableFuture<ClaimAnswer>> all = before;
        before = new ArrayList<>();
        all.forEach(each -> each.complete(answer));
    }

    /** All who still wait; from now on somebody else answers them. */
    List<CompletableFuture<ClaimAnswer>> takeAll() {
        List<CompletableFuture<ClaimAnswer>> all = before;
        all.addAll(later);
        before = new ArrayList<>();
        later = new ArrayList<>();
        all.removeIf(CompletableFuture::isDone);
        return all;
    }

    void forgetDone() {
        before.removeIf(CompletableFuture::isDone);
        later.removeIf(CompletableFuture::isDone);
    }

    boolean isEmpty() {
        return before.isEmpty() && later.isEmpty();
    }
}
