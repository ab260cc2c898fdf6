package dev.leasehold.battery;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The SQLite under test is a file: there is no server, and no network. */
final class SqliteUnderTest implements StoreUnderTest {

    private final Path directory;

    SqliteUnderTest(Path directory) {
        this.directory = directory;
    }

    @Override
    public Way way() {
        return new Way(uri(), List.of());
    }

    @Override
    public String uri() {
        return "sqlite:" + directory.resolve("locks.db");
    }

    @Override
    public String version() throws SQLException {
        return Pool.version("jdbc:sqlite::memory:");
    }

    @Override
    public int servers() {
        return 0;
    }

    @Override
    public void signal(int server, String signal) {
        throw new UnsupportedOperationException("a file has no server");
    }

    @Override
    public void kill(int server) {
        throw new UnsupportedOperationException("a file has no server");
    }

    @Override
    public void restart(int server, boolean withData) {
        throw new UnsupportedOperationException("a file has no server");
    }

    @Override
    public void flush(int server) {
        throw new UnsupportedOperationException("a file has no server");
    }

    @Override
    public Map<String, Long> gauges() throws SQLException {
        return Pool.rows("jdbc:" + uri(), "SELECT name FROM sqlite_master WHERE type = 'table'");
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {}
}
