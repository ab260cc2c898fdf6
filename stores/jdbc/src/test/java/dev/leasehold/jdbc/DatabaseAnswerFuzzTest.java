package dev.leasehold.jdbc;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.AnswerFuzz;
import dev.leasehold.testtools.SpoilingProxy;
import dev.leasehold.testtools.SpoiltFrames;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about answers of databases that make no sense: see {@link AnswerFuzz}. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DatabaseAnswerFuzzTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Test
    void answersOfPostgres() throws Exception {
        PostgresServer server = POSTGRES.get();
        String plain = "&sslmode=disable&gssEncMode=disable";
        fuzz(server.url() + plain, server.port(), SpoiltFrames.ofPostgres(), "jdbc:postgresql:");
    }

    @Test
    void answersOfMariaDb() throws Exception {
        MariaDbServer server = MARIADB.get();
        fuzz(server.url(), server.port(), SpoiltFrames.ofMariaDb(), "jdbc:mariadb:");
    }

    private static void fuzz(String url, int port, SpoiltFrames frames, String store) throws Exception {
        try (SpoilingProxy proxy = SpoilingProxy.to(port, frames);
                Leasehold holder = Leasehold.connect(url);
                Leasehold fuzzed = Leasehold.builder()
                        .uri(url.replace(":" + port, ":" + proxy.port()))
                        .options(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5)))
                        .storeTimeout(Duration.ofSeconds(2))
                        .build()) {
            holder.lock("first").run(lease -> {});
            AnswerFuzz.fuzz(holder, fuzzed, List.of(proxy), store);
        }
    }
}
