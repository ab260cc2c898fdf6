package dev.leasehold.jdbc;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** These tests run the embedded store as users open it, on the machine's time. */
class SqliteContractTest extends StoreContract {

    @TempDir
    Path directory;

    @Override
    protected StoreFactory store() {
        return new SqliteStoreProvider().create(StoreUri.parse("sqlite:" + directory.resolve("locks.db")));
    }
}
