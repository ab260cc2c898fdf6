package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * These tests examine a database of which several servers can be written. No such cluster can be started here, so one
 * variable is made to say otherwise.
 */
class SeveralWritersTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private static DataSource telling(String variable, String value) {
        Map<String, String> other =
                Map.of("SHOW GLOBAL VARIABLES LIKE '" + variable + "'", "SELECT '" + variable + "', '" + value + "'");
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return telling(
                            other, DriverManager.getConnection(MARIADB.get().url()));
                });
    }

    private static Connection telling(Map<String, String> other, Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        arguments[0] = other.getOrDefault((String) arguments[0], (String) arguments[0]);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"wsrep_on, ON", "group_replication_single_primary_mode, OFF"})
    void sessionLocksAreRefusedAndTablesAreNot(String variable, String value) throws Exception {
        DataSource several = telling(variable, value);
        try (Leasehold leasehold = Leasehold.builder()
                .store(JdbcStore.using(several).withSessionLocks(true))
                .build()) {
            assertThatThrownBy(() -> leasehold.lock("a").tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("session locks")
                    .hasMessageContaining(variable);
        }
        try (Leasehold leasehold =
                        Leasehold.builder().store(JdbcStore.using(several)).build();
                Lease lease = leasehold.lock("a").acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void theDoctorSaysWhatItMeansForLocksInTables() throws Exception {
        assertThat(findings(telling("wsrep_on", "ON"))).contains("database-several-writers");
        assertThat(findings(telling("wsrep_on", "OFF"))).contains("database-one-writer");
    }

    private static java.util.List<String> findings(DataSource source) throws Exception {
        try (Leasehold leasehold =
                Leasehold.builder().store(JdbcStore.using(source)).build()) {
            Examination examination = leasehold.examine();
            return examination.findings().stream().map(Finding::code).toList();
        }
    }
}
