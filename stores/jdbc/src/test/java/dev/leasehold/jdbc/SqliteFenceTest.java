package dev.leasehold.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log is not needed; without it, one who reads would keep the other from committing. */
class SqliteFenceTest extends FenceContract {

    @TempDir
    Path directory;

    @Override
    public String url() {
        return "jdbc:sqlite:" + directory.resolve("money.db") + "?journal_mode=WAL&busy_timeout=20000";
    }

    @Override
    public JdbcFence fence() {
        return JdbcFence.standard();
    }

    @Override
    List<Integer> levels() {
        return List.of(Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    public List<Integer> levelsWithAView() {
        return levels();
    }
}
