package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database's clock is a day ahead for a moment, and is right again. What was free then is free. */
@Tag("slow")
class ClockAheadTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    /** Sessions of MariaDB may have a time of their own; in PostgreSQL a function may come before the clock's. */
    private static Leasehold ahead(String database) throws SQLException {
        if (database.equals("MariaDB")) {
            long tomorrow = Instant.now().plus(1, ChronoUnit.DAYS).getEpochSecond();
            return Leasehold.connect(MARIADB.get().url() + "&sessionVariables=timestamp=" + tomorrow);
        }
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS ahead");
            for (String clock : List.of("clock_timestamp()", "statement_timestamp()")) {
                statement.execute("CREATE OR REPLACE FUNCTION ahead." + clock + " RETURNS timestamptz LANGUAGE sql"
                        + " AS $$ SELECT pg_catalog." + clock + " + interval '1 day' $$");
            }
        }
        return Leasehold.connect(
                POSTGRES.get().url() + "&options=-c%20search_path=ahead,public,pg_catalog&leasehold.schema=public");
    }

    private static Leasehold right(String database) {
        return Leasehold.connect(
                database.equals("MariaDB")
                        ? MARIADB.get().url()
                        : POSTGRES.get().url() + "&leasehold.schema=public");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "PostgreSQL"})
    void aLockThatWasReleasedMeanwhileIsFree(String database) throws Exception {
        try (Leasehold ahead = ahead(database);
                Leasehold right = right(database)) {
            ahead.lock(name).acquire().close();
            try (Lease lease = right.lock(name).tryAcquire().orElseThrow()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "PostgreSQL"})
    void aPermitThatWasReleasedMeanwhileIsFree(String database) throws Exception {
        try (Leasehold ahead = ahead(database);
                Leasehold right = right(database)) {
            ahead.semaphore(name, 2).acquire().close();
            right.semaphore(name, 2).tryAcquire().orElseThrow().close();
            right.lock(name).tryAcquire().orElseThrow().close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "PostgreSQL"})
    void aLockThatWasBrokenMeanwhileIsFree(String database) throws Exception {
        try (Leasehold ahead = ahead(database);
                Leasehold right = right(database)) {
            Lease broken = ahead.lock(name).acquire();
            assertThat(ahead.breakLock(name, broken.token())).isTrue();
            right.lock(name).tryAcquire().orElseThrow().close();
        }
    }
}
