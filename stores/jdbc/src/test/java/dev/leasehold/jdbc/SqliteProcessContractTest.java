package dev.leasehold.jdbc;

import dev.leasehold.testkit.ProcessContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** These tests run real processes on one file. */
@Tag("extended")
class SqliteProcessContractTest extends ProcessContract {

    @TempDir
    Path files;

    @Override
    protected String uri() {
        return "sqlite:" + files.resolve("locks.db");
    }
}
