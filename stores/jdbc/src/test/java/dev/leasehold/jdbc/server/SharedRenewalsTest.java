package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.jdbc.FaultyDatabase;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about shared leases whose renewals come together. The one worker is kept busy while they gather. */
@Tag("slow")
class SharedRenewalsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONGER = Duration.ofMinutes(10);

    private final FaultyDatabase database = new FaultyDatabase();
    private final RealTime time = new RealTime();
    private Store store;
    private long claims;

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

    private LeaseId acquire(String lock, int share) {
        Claim claim = new Claim(new ClaimId("client", ++claims), lock, share, LEASE, false);
        return ((ClaimAnswer.Granted) TestClient.get(store.claim(claim))).lease();
    }

    private List<RenewAnswer> renewTogether(Duration duration, LeaseId... leases) {
        return renewTogether(java.util.Collections.nCopies(leases.length, duration), leases);
    }

    private List<RenewAnswer> renewTogether(List<Duration> durations, LeaseId... leases) {
        CountDownLatch gathered = database.holdNextConnection();
        CompletionStage<?> keepsBusy = store.withdraw("other", new ClaimId("client", 99));
        List<CompletionStage<RenewAnswer>> renewals = new ArrayList<>();
        for (int i = 0; i < leases.length; i++) {
            renewals.add(store.renew(leases[i], durations.get(i)));
        }
        gathered.countDown();
        TestClient.get(keepsBusy);
        return renewals.stream().map(TestClient::get).toList();
    }

    private List<Duration> left(String lock) {
        return TestClient.get(store.inspect(NamePattern.of(lock))).get(0).holders().stream()
                .map(HolderInfo::timeLeft)
                .toList();
    }

    private long number(String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void change(String text) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(text)).isPositive();
        }
    }

    @Test
    void manySharesAreRenewedByOneTransaction() throws SQLException {
        LeaseId[] leases = {
            acquire("permits", 3),
            acquire("permits", 3),
            acquire("permits", 3),
            acquire("readers", Claim.UNLIMITED),
            acquire("mutex", Claim.EXCLUSIVE)
        };
        int before = database.lent();
        assertThat(renewTogether(LONGER, leases)).hasSize(5).hasOnlyElementsOfType(RenewAnswer.Renewed.class);
        assertThat(database.lent() - before)
                .as("what kept it busy, and the batch, or two where the first was quick")
                .isBetween(2, 3);
        for (String lock : List.of("permits", "readers", "mutex")) {
            assertThat(left(lock)).allSatisfy(each -> assertThat(each).isGreaterThan(LONGER.dividedBy(2)));
        }
    }

    /** Also where another holder's end is the row's. */
    @Test
    void aBatchShortensNothing() throws SQLException {
        LeaseId one = acquire("permits", 3);
        LeaseId two = acquire("permits", 3);
        renewTogether(LONGER, one, two);
        assertThat(renewTogether(LEASE, one, two)).hasOnlyElementsOfType(RenewAnswer.Renewed.class);
        assertThat(left("permits"))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each).isGreaterThan(LONGER.dividedBy(2)));
        List<Duration> many = new ArrayList<>();
        for (int minutes = 19; minutes > 11; minutes--) {
            many.add(Duration.ofMinutes(minutes));
        }
        renewTogether(many, one, one, one, one, one, one, one, one);
        assertThat(left("permits").get(0)).as("the longest counts").isGreaterThan(Duration.ofMinutes(18));
    }

    @Test
    void aBatchOfWholeLocksShortensNothing() {
        LeaseId one = acquire("one", Claim.EXCLUSIVE);
        LeaseId two = acquire("two", Claim.EXCLUSIVE);
        renewTogether(LONGER, one, two);
        assertThat(renewTogether(LEASE, one, two)).hasOnlyElementsOfType(RenewAnswer.Renewed.class);
        for (String lock : List.of("one", "two")) {
            assertThat(left(lock).get(0)).as(lock).isGreaterThan(LONGER.dividedBy(2));
        }
    }

    @Test
    void whatIsGoneOrOverIsLostAndTheOthersAreRenewed() throws SQLException {
        LeaseId broken = acquire("permits", 4);
        LeaseId over = acquire("permits", 4);
        LeaseId kept = acquire("permits", 4);
        LeaseId alive = acquire("permits", 4);
        TestClient.get(store.breakLease("permits", broken.token()));
        TestClient.get(store.release(kept, LONGER));
        change("UPDATE \"leasehold_holder\" SET ends = ends - 60000000 WHERE token = " + over.token());
        List<RenewAnswer> answers = renewTogether(LONGER, broken, over, kept, alive);
        assertThat(answers.subList(0, 3)).hasOnlyElementsOfType(RenewAnswer.Lost.class);
        assertThat(answers.get(3)).isInstanceOf(RenewAnswer.Renewed.class);
    }

    /** Two holders are named by lock and token; a third that happens to fit both lists is left alone. */
    @Test
    void aBatchExtendsNoLeaseThatWasNotNamed() throws SQLException {
        LeaseId one = acquire("a", 3);
        LeaseId left = acquire("a", 3);
        LeaseId two = acquire("b", 3);
        change("UPDATE \"leasehold_holder\" SET token = " + left.token() + " WHERE name = 'b'");
        change("UPDATE \"leasehold_lock\" SET token = " + left.token() + " WHERE name = 'b'");
        LeaseId moved = new LeaseId("b", two.claim(), left.token());
        assertThat(renewTogether(LONGER, one, moved)).hasOnlyElementsOfType(RenewAnswer.Renewed.class);
        assertThat(left("a"))
                .satisfiesExactlyInAnyOrder(
                        each -> assertThat(each).isGreaterThan(LONGER.dividedBy(2)),
                        each -> assertThat(each).isLessThan(LEASE.plusSeconds(1)));
    }
}
