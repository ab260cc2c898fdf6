package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** An account is what the tests of a fence guard: a number in a row of a table, named by the resource's name. */
record Account(String name) {

    void make(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS account (name varchar(90) PRIMARY KEY, balance bigint)");
            statement.execute("INSERT INTO account VALUES ('" + name + "', 0)");
        }
    }

    long balance(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE name = '" + name + "'")) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    void setBalance(Connection connection, long balance) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = " + balance + " WHERE name = '" + name + "'");
        }
    }
}
