package dev.leasehold.example;

import dev.leasehold.Lease;
import dev.leasehold.jdbc.JdbcFence;
import dev.leasehold.spring.Locked;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Moves money under a lock, and guards the account by a fence: a process that was stopped in the middle, and has lost the lock
 * without knowing it, is refused by the database when it goes on.
 */
@Service
public class Transfers {

    private final JdbcTemplate jdbc;
    private final DataSource dataSource;
    private final JdbcFence fence;

    Transfers(JdbcTemplate jdbc, DataSource dataSource, JdbcFence fence) {
        this.jdbc = jdbc;
        this.dataSource = dataSource;
        this.fence = fence;
    }

    /** Takes the amount from one account and adds it to another. */
    @Locked(name = "account:#{#from}", maxWait = "5s")
    @Transactional
    public long move(int from, int to, long amount, Lease lease) throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            fence.register(connection, "account:" + from, lease.token()); // before the first read
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        long balance = jdbc.queryForObject("SELECT balance FROM account WHERE id = ?", Long.class, from);
        if (balance < amount) {
            throw new IllegalArgumentException("account " + from + " has " + balance + " only");
        }
        jdbc.update("UPDATE account SET balance = ? WHERE id = ?", balance - amount, from);
        jdbc.update("UPDATE account SET balance = balance + ? WHERE id = ?", amount, to);
        return balance - amount;
    }
}
