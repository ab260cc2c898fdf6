package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients whose driver stands before PostgreSQL's, as {@code jdbc:p6spy:} does. */
@Tag("slow")
class WrappedPostgresTest {

    private static final String OURS = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'leasehold'";

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Test
    void theirWaitersAreTold() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(false)) {
            assertThat(listenersWhileOneWaits(POSTGRES.get().url(), 1)).isEqualTo(1);
        }
    }

    /** Of a driver that hides PostgreSQL's, messages cannot be had. */
    @Test
    void waitersOfAHiddenDriverPoll() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(true)) {
            assertThat(listenersWhileOneWaits(POSTGRES.get().url(), 0)).isZero();
        }
    }

    @Test
    void aPoolerIsSeenThroughThem() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(false);
                PostgresPooler pooler = new PostgresPooler(POSTGRES.get().port(), 3)) {
            String url = PostgresServer.url(pooler.port());
            assertThat(listenersWhileOneWaits(url, 0)).isZero();
            String set = "SELECT COUNT(*) FROM pg_settings WHERE name = 'lock_timeout' AND setting <> '0'";
            for (int i = 0; i < 9; i++) {
                assertThat(Question.number(url, set)).isZero();
            }
        }
    }

    /** Has a client wait for a lock until so many listen, and get it; returns how many listened when it had it. */
    private static long listenersWhileOneWaits(String url, int expected) throws Exception {
        String wrapped = WrapperDriver.url(url);
        String listening = OURS + " AND query LIKE 'LISTEN%'";
        try (Leasehold one = Leasehold.connect(wrapped);
                Leasehold two = Leasehold.connect(wrapped)) {
            Lease held = one.lock("wrapped").acquire();
            CompletableFuture<Lease> waiting = two.lock("wrapped").acquireAsync();
            await().until(() -> one.locks("wrapped").get(0).waiters().size() == 1);
            await().until(() -> Question.number(POSTGRES.get().url(), listening) >= expected);
            held.close();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
            return Question.number(POSTGRES.get().url(), listening);
        }
    }
}
