package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Administrators give roles time limits; what the server ends by them is asked for again. */
@Tag("slow")
class RoleLimitsTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    /** A backup locks the table for longer than statements of the role may take, or wait. */
    @ParameterizedTest
    @CsvSource({
        "statement_timeout, canceling statement due to statement timeout",
        "lock_timeout, canceling statement due to lock timeout"
    })
    void whoWaitsGetsTheLockAndWhoHoldsKeepsIt(String limit, String ended) throws Exception {
        String role = "role_" + limit;
        String url = POSTGRES.get().url().replace("user=postgres", "user=" + role) + "&leasehold.storeTimeout=600000";
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement();
                Leasehold one = Leasehold.connect(url);
                Leasehold two = Leasehold.connect(url)) {
            statement.execute("CREATE ROLE " + role + " LOGIN SUPERUSER");
            statement.execute("ALTER ROLE " + role + " SET idle_in_transaction_session_timeout = '1s'");
            statement.execute("ALTER ROLE " + role + " SET " + limit + " = '1s'");
            Lease held = one.lock(limit, longer).acquire();
            assertThat(two.lock(limit).tryAcquire()).isEmpty(); // Its first look at the tables is over.
            admin.setAutoCommit(false);
            statement.execute("LOCK TABLE leasehold_lock IN ACCESS EXCLUSIVE MODE");
            // Nothing else is asked meanwhile, so it is this claim that the server ends again and again.
            CompletableFuture<Lease> claim = two.lock(limit + " other", longer).acquireAsync();
            await().until(() -> times(ended) >= 3);
            admin.rollback();
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);

            CompletableFuture<Lease> waiting = two.lock(limit, longer).acquireAsync();
            await().until(() -> one.locks(limit).get(0).waiters().size() == 1);
            held.extend(Duration.ofMinutes(6));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    private static long times(String ended) {
        return POSTGRES.get().log().lines().filter(line -> line.contains(ended)).count();
    }
}
