package dev.leasehold.engine.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.HeldLease;
import dev.leasehold.engine.StoppedTimeSource;
import dev.leasehold.engine.WrappedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests are about listeners that come while a term begins or ends. */
class ElectionListenersTest {

    private final StoppedTimeSource time = new StoppedTimeSource();
    private final Leasehold leasehold =
            Leasehold.builder().store(new WrappedStore()).timeSource(time).build();
    private final ElectionListeners listeners = new ElectionListeners(Runnable::run);
    private final List<String> told = new ArrayList<>();
    private final ElectionListener listener = new ElectionListener() {
        @Override
        public void elected(Lease lease) {
            told.add("elected");
        }

        @Override
        public void demoted(Lease lease) {
            told.add("demoted");
        }
    };

    @AfterEach
    void close() {
        leasehold.close();
    }

    private Term term() throws InterruptedException {
        HeldLease lease = (HeldLease) leasehold.lock("a").acquire();
        return new Term(lease, ElectionOptions.ofLease(Duration.ofSeconds(30)), time, over -> {});
    }

    @Test
    void whoComesBetweenTheElectionAndItsNewsIsToldOnce() throws Exception {
        Term term = term();
        listeners.add(listener, term);
        listeners.elected(term);
        assertThat(told).containsExactly("elected");
    }

    @Test
    void whoComesBetweenTheEndAndItsNewsIsToldNothing() throws Exception {
        Term term = term();
        term.end("tested");
        listeners.add(listener, term);
        CompletableFuture<Void> all = new CompletableFuture<>();
        listeners.demoted(term, all);
        assertThat(told).isEmpty();
        assertThat(all).isCompleted();
    }

    @Test
    void whoIsRemovedIsToldNothingMore() throws Exception {
        Term term = term();
        listeners.add(listener, term);
        listeners.remove(listener);
        CompletableFuture<Void> all = new CompletableFuture<>();
        listeners.demoted(term, all);
        assertThat(told).containsExactly("elected");
        assertThat(all).isCompleted();
    }
}
