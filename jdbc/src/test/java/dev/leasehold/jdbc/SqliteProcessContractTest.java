package dev.leasehold.jdbc;

import dev.leasehold.testkit.ProcessContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on one file. */
class SqliteProcessContractTest extends ProcessContract {

    @TempDir
    Path files;

    @Override
    protected String uri() {
        return "sqlite:" + files.resolve("locks.db");
    }
}
