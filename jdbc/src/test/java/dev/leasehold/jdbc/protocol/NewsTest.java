package dev.leasehold.jdbc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.protocol.Turn.News;
import dev.leasehold.jdbc.sqlite.Database;
import dev.leasehold.jdbc.sqlite.SqliteViews;
import dev.leasehold.jdbc.sqlite.StoreFile;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.RealTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is to be told what; and that it reaches the neighbours. (Looking at the file would find it too, later.) */
class NewsTest {

    @TempDir
    Path directory;

    @AutoClose
    private final RealTime time = new RealTime();

    private final SettableClock clock = new SettableClock();
    private TestClient signals;
    private Database database;
    private Protocol protocol;

    @BeforeEach
    void open() throws SQLException {
        Path file = directory.resolve("locks.db");
        signals = new TestClient(file, clock);
        database = Database.open(new StoreFile(file));
        protocol = new SqliteViews(database.sql(), "")
                .protocol(new StoreContext("ann", "", "", time, Duration.ofSeconds(10), signals));
    }

    @AfterEach
    void close() {
        database.close();
        signals.close();
    }

    @Test
    void theNextHolderAndTheBrokenOneAreTold() throws SQLException {
        LeaseId held = ((Granted) protocol.claim(claim("ann"), turn())).lease();
        protocol.claim(claim("bob"), turn());
        protocol.claim(claim("cem"), turn());

        Turn release = turn();
        protocol.release(held, Duration.ZERO, release);
        assertThat(release.news()).containsExactly(new News.Granted("bob"));

        Turn broken = turn();
        long token =
                protocol.inspect(NamePattern.of("*"), turn()).get(0).holder().token();
        protocol.breakLease("a", token, broken);
        assertThat(broken.news()).containsExactly(new News.Broken("bob", "a"), new News.Granted("cem"));
    }

    @Test
    void whoAsksItselfNeedsNoNews() throws SQLException {
        Turn turn = turn();
        protocol.claim(claim("ann"), turn);
        assertThat(turn.news()).isEmpty();
    }

    @Test
    void newsReachTheClientsOfTheSameFileThatTheyAreFor() {
        List<String> heard = new ArrayList<>();
        Neighbours.Neighbour ann = neighbour("ann", heard);
        Neighbours.Neighbour bob = neighbour("bob", heard);
        Neighbours.Neighbour elsewhere = neighbour("ann", heard);
        Neighbours.join("file", ann);
        Neighbours.join("file", bob);
        Neighbours.join("other file", elsewhere);
        try {
            Neighbours.tell("file", List.of(new News.Granted("ann"), new News.Broken("bob", "x")));
            assertThat(heard).containsExactlyInAnyOrder("nudge ann", "doubt bob x");
        } finally {
            Neighbours.leave("file", ann);
            Neighbours.leave("file", bob);
            Neighbours.leave("other file", elsewhere);
        }
        Neighbours.tell("file", List.of(new News.Granted("ann")));
        assertThat(heard).hasSize(2);
    }

    private Turn turn() {
        return clock.begin(time.now());
    }

    private static Claim claim(String client) {
        return new Claim(new ClaimId(client, 1), "a", TestClient.LEASE, 0, true);
    }

    private static Neighbours.Neighbour neighbour(String name, List<String> heard) {
        return new Neighbours.Neighbour() {
            @Override
            public String client() {
                return name;
            }

            @Override
            public void nudge() {
                heard.add("nudge " + name);
            }

            @Override
            public void doubt(String lock) {
                heard.add("doubt " + name + " " + lock);
            }
        };
    }
}
