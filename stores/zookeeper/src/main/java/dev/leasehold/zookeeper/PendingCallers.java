package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClaimAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pending callers wait for the answer to a claim. Only those that had asked before a question was sent hear by its
 * answer that the claim is not granted yet: that answer may be older than the call of a later caller, which therefore
 * waits for the next. A grant or an end is for all. Used by tasks of the client's serial executor only.
 */
final class PendingCallers {

    private List<CompletableFuture<ClaimAnswer>> before = new ArrayList<>();
    private List<CompletableFuture<ClaimAnswer>> later = new ArrayList<>();

    void add(CompletableFuture<ClaimAnswer> caller) {
        later.add(caller);
    }

    /** Notes that a question is sent now, whose answer is for all callers so far. */
    void sending() {
        before.addAll(later);
        later = new ArrayList<>();
    }

    /** Answers the callers of the last question. */
    void answer(ClaimAnswer answer) {
        List<CompletableFuture<ClaimAnswer>> all = before;
        before = new ArrayList<>();
        all.forEach(each -> each.complete(answer));
    }

    /** Takes all callers that still wait; from now on somebody else answers them. */
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
