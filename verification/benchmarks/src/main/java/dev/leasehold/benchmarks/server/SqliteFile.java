package dev.leasehold.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An SQLite file is a store whose work is done by its clients. */
final class SqliteFile implements StoreServer {

    private final Path directory = Files.createTempDirectory("leasehold-bench-");

    SqliteFile() throws IOException {}

    @Override
    public StoreKind kind() {
        return StoreKind.SQLITE;
    }

    @Override
    public String version() {
        return "SQLite";
    }

    @Override
    public String uri() {
        return "sqlite:" + directory.resolve("locks.db");
    }

    @Override
    public long cpuNanos() {
        return 0;
    }

    @Override
    public long requestsDuring(Task task) throws Exception {
        task.run();
        return -1;
    }

    @Override
    public void close() throws IOException {
        DirectoryTree.delete(directory);
    }
}
