package dev.leasehold.redis;

import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes that are no gates because they did not answer, again and again, as long as somebody stands at another gate
 * for their sake. Once such a node answers, they are told, since there stand all who have never missed it. As long as it does
 * not, it is no gate: silence is forgiven after a while, and whoever went there in vain would lose the place that he has.
 *
 * <p>One round at a time and one question to a node, for all locks of the client together.
 */
final class SilentGates {

    static final Duration EVERY = Duration.ofMillis(250);

    private final Quorum quorum;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Set<Runnable> watchers = new LinkedHashSet<>();
    private final AtomicReferenceArray<@Nullable CompletableFuture<Boolean>> asked;
    private boolean watching;

    SilentGates(Quorum quorum) {
        this.quorum = quorum;
        asked = new AtomicReferenceArray<>(quorum.size());
    }

    /** Has a task run, on any thread, each time when a silent node may have come back. */
    void watch(Runnable task) {
        mutex.lock();
        try {
            watchers.add(task);
            if (watching) {
                return;
            }
            watching = true;
        } finally {
            mutex.unlock();
        }
        later();
    }

    void forget(Runnable task) {
        mutex.lock();
        try {
            watchers.remove(task);
        } finally {
            mutex.unlock();
        }
    }

    private void later() {
        quorum.time().schedule(EVERY, this::look);
    }

    private void look() {
        mutex.lock();
        try {
            if (watchers.isEmpty() || quorum.isClosed()) {
                watching = false;
                return;
            }
        } finally {
            mutex.unlock();
        }
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < quorum.size(); i++) {
            if (quorum.isNoGate(i)) {
                answers.add(ask(i));
            }
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).thenRun(() -> {
            if (answers.isEmpty() || answers.stream().anyMatch(CompletableFuture::join)) {
                tell();
            }
            later();
        });
    }

    private void tell() {
        List<Runnable> all;
        mutex.lock();
        try {
            all = List.copyOf(watchers);
        } finally {
            mutex.unlock();
        }
        all.forEach(Runnable::run);
    }

    /** Completes in time, with whether the node has answered. */
    private CompletableFuture<Boolean> ask(int node) {
        CompletableFuture<Boolean> last = asked.get(node);
        if (last != null) {
            quorum.failed(node);
            return last;
        }
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        asked.set(node, answer);
        TimeSource.Timer limit = quorum.time().schedule(quorum.settings().nodeTimeout(), () -> {
            if (answer.complete(false)) {
                quorum.failed(node);
            }
        });
        quorum.voter(node).look().whenComplete((view, failure) -> {
            limit.cancel();
            asked.set(node, null);
            if (view != null) {
                quorum.saw(node, view);
            } else {
                quorum.failed(node);
            }
            answer.complete(view != null);
        });
        return answer;
    }
}
