package dev.leasehold.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests say after which errors of a database an operation is repeated. */
@Tag("slow")
class RetryableErrorsTest {

    private static SQLException error(String state, int code) {
        return new SQLException("made by the test", state, code);
    }

    /** A wait for a row that was too long, a deadlock, a row that has changed since the snapshot. */
    @ParameterizedTest
    @CsvSource({"HY000, 1205", "40001, 1205", "40001, 1213", "HY000, 1020"})
    void whatMariaDbHasUndoneIsRepeated(String state, int code) {
        assertThat(Product.MARIADB.rules().isRetryable(error(state, code))).isTrue();
        assertThat(Product.MYSQL.rules().isRetryable(error(state, code))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"23000, 1062", "42000, 1142", "08S01, 1927", "HY000, 1290"})
    void whatMariaDbRefusesIsNotRepeated(String state, int code) {
        assertThat(Product.MARIADB.rules().isRetryable(error(state, code))).isFalse();
        assertThat(Product.MYSQL.rules().isRetryable(error(state, code))).isFalse();
    }

    /** A serialisation failure, a deadlock, a row that is locked, a statement that was ended. */
    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "55P03", "57014"})
    void whatPostgresHasUndoneIsRepeated(String state) {
        assertThat(Product.POSTGRESQL.rules().isRetryable(error(state, 0))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "42501", "08006", "25006"})
    void whatPostgresRefusesIsNotRepeated(String state) {
        assertThat(Product.POSTGRESQL.rules().isRetryable(error(state, 0))).isFalse();
    }
}
