package dev.leasehold.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A store that lives in its clients: an SQLite file, or the memory of one process. */
final class Embedded implements StoreServer {

    private final StoreKind kind;
    private final Path directory = Files.createTempDirectory("leasehold-bench-");

    Embedded(StoreKind kind) throws IOException {
        this.kind = kind;
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String version() {
        return kind.label();
    }

    @Override
    public String uri() {
        return kind == StoreKind.SQLITE ? "sqlite:" + directory.resolve("locks.db") : "memory:";
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
