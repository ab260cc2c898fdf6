package dev.leasehold.jdbc;

import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Databases that drivers take for PostgreSQL or MySQL, and that are several nodes with a clock each. Real servers stand in
 * for them, with their answers when they are asked for their version.
 */
@Tag("slow")
class LookAlikesTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private static DataSource saying(String version, String url) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> connection(version, DriverManager.getConnection(url)));
    }

    private static Connection connection(String version, Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && ((String) arguments[0]).contains("version")) {
                        arguments[0] = "SELECT '" + version + "'";
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Leasehold client(JdbcStore store) {
        return Leasehold.builder().store(store).build();
    }

    @ParameterizedTest
    @CsvSource({
        "'CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)', CockroachDB",
        "'PostgreSQL 11.2-YB-2.18.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 15.0.3', YugabyteDB",
    })
    void whatSpeaksAsPostgresIsRefusedByName(String version, String name) throws Exception {
        assertRefused(JdbcStore.using(saying(version, POSTGRES.get().url())), name, JdbcDialect.POSTGRESQL);
    }

    @ParameterizedTest
    @CsvSource({
        "'8.0.11-TiDB-v7.5.0 TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible', TiDB",
        "'8.0.30-Vitess Version: 19.0.1', Vitess",
        "'5.7.25-OceanBase-v4.2.1.0 OceanBase_CE 4.2.1.0 (r100000102023092807)', OceanBase",
        "'5.7.32 SingleStoreDB source distribution (compatible; MySQL Enterprise)', SingleStore",
        "'8.0.32-X-Cluster-8.4.19 PolarDB-X', PolarDB-X",
        "'5.0.45-Xpand-6.1.1 ', MariaDB Xpand",
    })
    void whatSpeaksAsMySqlIsRefusedByName(String version, String name) throws Exception {
        assertRefused(JdbcStore.using(saying(version, MARIADB.get().url())), name, JdbcDialect.MARIADB);
    }

    private static void assertRefused(JdbcStore store, String name, JdbcDialect dialect) throws Exception {
        try (Leasehold client = client(store)) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("is " + name)
                    .hasMessageContaining("clock")
                    .hasMessageContaining("leasehold.dialect=");
            Examination seen = client.examine();
            assertThat(the("database-look-alike", seen).severity()).isEqualTo(Severity.SERIOUS);
            assertThat(the("database-look-alike", seen).what()).contains(name);
        }
        try (Leasehold client = client(store.withDialect(dialect))) {
            client.lock("a").acquire().close();
            Examination seen = client.examine();
            assertThat(the("database-look-alike", seen).severity()).isEqualTo(Severity.WARNING);
        }
    }

    @Test
    void whatIsPostgresIsTaken() throws Exception {
        for (String version : new String[] {
            "PostgreSQL 15.4 (Debian 15.4-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit",
            "PostgreSQL 16.1, compiled by Visual C++ build 1937, 64-bit"
        }) {
            try (Leasehold client =
                    client(JdbcStore.using(saying(version, POSTGRES.get().url())))) {
                client.lock("a").acquire().close();
            }
        }
    }
}
