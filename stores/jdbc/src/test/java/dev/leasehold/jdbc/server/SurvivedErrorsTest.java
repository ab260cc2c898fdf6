package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.FaultyDatabase;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An error that nobody expects, and what must go on after it. */
@Tag("slow")
class SurvivedErrorsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final FaultyDatabase database = new FaultyDatabase();
    private final RealTime time = new RealTime();
    private Store store;

    @BeforeEach
    void open() {
        store = JdbcStore.using(database.dataSource())
                .withConnections(1)
                .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()));
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private LeaseId acquire(int number) {
        Claim claim = new Claim(new ClaimId("client", number), "lock" + number, LEASE, 0, false);
        return ((ClaimAnswer.Granted) TestClient.get(store.claim(claim))).lease();
    }

    /** The one worker is kept busy while they gather. */
    @Test
    void renewalsGoOnAfterABatchThatRanOutOfMemory() throws Exception {
        List<LeaseId> leases = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            leases.add(acquire(i));
        }
        for (int round = 0; round < 2; round++) {
            CountDownLatch gathered = database.holdNextConnection();
            CompletionStage<?> keepsBusy = store.withdraw("other", new ClaimId("client", 9));
            List<CompletableFuture<RenewAnswer>> renewals = new ArrayList<>();
            for (LeaseId lease : leases) {
                renewals.add(store.renew(lease, LEASE).toCompletableFuture());
            }
            if (round == 0) {
                database.failBatch(new OutOfMemoryError("made by the test"));
            }
            gathered.countDown();
            for (CompletableFuture<RenewAnswer> renewal : renewals) {
                assertThat(TestClient.get(renewal)).isInstanceOf(RenewAnswer.Renewed.class);
            }
            TestClient.get(keepsBusy);
            assertThat(database.hasFailed()).isTrue();
        }
    }

    @Test
    void aWorkerGoesOnAfterATaskThatFails() {
        Workers workers = new Workers("survivor", 1);
        try {
            for (int i = 0; i < 3; i++) {
                workers.submit(new Workers.Task("lock", () -> {
                    throw new OutOfMemoryError("made by the test");
                }));
            }
            CompletableFuture<String> after = new CompletableFuture<>();
            workers.submit(new Workers.Task("lock", () -> after.complete("done")));
            assertThat(after.orTimeout(A_MINUTE, TimeUnit.SECONDS).join()).isEqualTo("done");
        } finally {
            workers.close();
        }
    }

    @Test
    void theListenerTriesAgainAfterAnError() {
        CompletableFuture<String> again = new CompletableFuture<>();
        AtomicInteger asked = new AtomicInteger();
        SilentClient client = () -> {
            if (asked.incrementAndGet() == 1) {
                throw new OutOfMemoryError("made by the test");
            }
            again.complete("asked again");
            throw new IllegalStateException("made by the test");
        };
        PostgresListener listener = new PostgresListener("survivor", () -> "channel", client);
        listener.want();
        try {
            assertThat(again.orTimeout(A_MINUTE, TimeUnit.SECONDS).join()).isEqualTo("asked again");
        } finally {
            listener.close();
        }
    }
}
