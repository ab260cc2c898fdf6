package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.LateAnswers;
import dev.leasehold.testtools.Started;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * These tests are about answers of a database that come later than the database has given them: of single statements; where
 * a claim is repeated or shared, of transactions; of renewals in batches; and of looks for what was handed over.
 */
@Tag("slow")
class LateAnswersTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @ParameterizedTest
    @ValueSource(ints = {Claim.EXCLUSIVE, Claim.UNLIMITED})
    void noLeaseIsBelievedInBeyondPostgresEnd(int share) {
        neverExceedTheServersEnd(POSTGRES.get().url(), POSTGRES.get().port(), share);
    }

    @ParameterizedTest
    @ValueSource(ints = {Claim.EXCLUSIVE, Claim.UNLIMITED})
    void noLeaseIsBelievedInBeyondMariaDbsEnd(int share) {
        neverExceedTheServersEnd(MARIADB.get().url(), MARIADB.get().port(), share);
    }

    @ParameterizedTest
    @ValueSource(ints = {Claim.EXCLUSIVE, Claim.UNLIMITED})
    void noBatchIsBelievedInBeyondPostgresEnd(int share) {
        with(POSTGRES.get().url(), POSTGRES.get().port(), answers -> answers.neverExceedItWhenRenewedTogether(share));
    }

    @ParameterizedTest
    @ValueSource(ints = {Claim.EXCLUSIVE, Claim.UNLIMITED})
    void noBatchIsBelievedInBeyondMariaDbsEnd(int share) {
        with(MARIADB.get().url(), MARIADB.get().port(), answers -> answers.neverExceedItWhenRenewedTogether(share));
    }

    @Test
    void noHandOverIsBelievedInBeyondPostgresEnd() {
        with(POSTGRES.get().url(), POSTGRES.get().port(), LateAnswers::neverExceedItWhenHandedOver);
    }

    @Test
    void noHandOverIsBelievedInBeyondMariaDbsEnd() {
        with(MARIADB.get().url(), MARIADB.get().port(), LateAnswers::neverExceedItWhenHandedOver);
    }

    private static void neverExceedTheServersEnd(String url, int port, int share) {
        with(url, port, answers -> answers.neverExceedTheServersEnd(share));
    }

    /** The client that is far away has one connection, so its renewals gather while that is in use. */
    private static void with(String url, int port, Consumer<LateAnswers> test) {
        try (FaultProxy proxy = FaultProxy.to(port);
                LateAnswers answers = new LateAnswers(
                        proxy,
                        at(url.replace(":" + port + "/", ":" + proxy.port() + "/") + "&leasehold.connections=1"),
                        at(url))) {
            test.accept(answers);
        }
    }

    private static StoreFactory at(String url) {
        return new JdbcStoreProvider().create(StoreUri.parse(url));
    }
}
