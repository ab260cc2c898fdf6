package dev.leasehold.jdbc;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** These tests run elections over the embedded store. */
@Tag("slow")
class SqliteElectionContractTest extends ElectionContract {

    @TempDir
    Path files;

    @Override
    protected StoreFactory store() {
        return new SqliteStoreProvider().create(StoreUri.parse("sqlite:" + files.resolve("locks.db")));
    }
}
