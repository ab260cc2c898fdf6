package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.memory.MemoryStoreProvider;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StandingTimeTest {

    private static final Logger LOG = Logger.getLogger("dev.leasehold.test");

    private final List<LogRecord> told = new ArrayList<>();
    private final List<Runnable> looks = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final StandingTime standing = new StandingTime(time, lock -> lock.equals("waited for") ? 1 : 0, looks::add);
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord said) {
            told.add(said);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOG.addHandler(handler);
        LOG.setUseParentHandlers(false);
    }

    @AfterEach
    void listenNoMore() {
        LOG.removeHandler(handler);
        LOG.setUseParentHandlers(true);
    }

    private void tenSecondsPass() {
        List<Runnable> due = List.copyOf(looks);
        looks.clear();
        due.forEach(Runnable::run);
    }

    /** A test that called its code without letting time pass hung, and nothing said why. */
    @Test
    void aWaiterWhoseTimeStandsStillIsToldOfOnce() {
        standing.queued("waited for");
        standing.queued("waited for");
        assertThat(looks).hasSize(1);
        tenSecondsPass();
        standing.queued("waited for");
        tenSecondsPass();
        assertThat(told)
                .singleElement()
                .satisfies(said -> assertThat(said.getMessage()).contains("whileTimePasses"));
    }

    @Test
    void nothingIsToldWhereTimeMovesOrNobodyWaits() {
        standing.queued("waited for");
        time.advance(Duration.ofMillis(1));
        tenSecondsPass();
        standing.queued("granted meanwhile");
        tenSecondsPass();
        assertThat(told).isEmpty();
        standing.queued("waited for");
        tenSecondsPass();
        assertThat(told).as("told later, as it hangs then").hasSize(1);
    }

    /** The look was for the first claim, which had been granted, and there was no other. */
    @Test
    @DisplayName("A claim that is queued while a look is under way is looked after next")
    void aClaimQueuedDuringALookIsLookedAfterNext() {
        standing.queued("granted meanwhile");
        time.advance(Duration.ofSeconds(3));
        standing.queued("waited for");
        tenSecondsPass();
        assertThat(told).isEmpty();
        tenSecondsPass();
        assertThat(told).hasSize(1);
        assertThat(looks).isEmpty();
    }

    @Test
    void aClaimThatJoinsAQueueIsNotedAndOneThatDoesNotIsNot() throws Exception {
        StoreFactory store = new MemoryStoreProvider().create(StoreUri.parse("memory:"));
        List<String> queued = new CopyOnWriteArrayList<>();
        try (Leasehold holder = client(store);
                Leasehold other = client(new SwitchableStore(store, queued::add))) {
            Lease held = holder.lock("a").acquire();
            assertThat(other.lock("a").tryAcquire()).isEmpty();
            assertThat(queued).isEmpty();
            CompletableFuture<Lease> waiting = other.lock("a").acquireAsync();
            assertThat(queued).containsExactly("a");
            held.close();
            assertThat(waiting).isCompleted();
        }
    }

    private Leasehold client(StoreFactory store) {
        return Leasehold.builder()
                .store(store)
                .timeSource(time)
                .executor(Runnable::run)
                .build();
    }
}
