package dev.leasehold.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SqliteFenceWorkloadTest extends FenceWorkload {

    @TempDir
    Path directory;

    @Override
    String url() {
        return "jdbc:sqlite:" + directory.resolve("elements.db") + "?journal_mode=WAL&busy_timeout=20000";
    }

    @Override
    String store() {
        return "sqlite:" + directory.resolve("locks.db");
    }
}
