package dev.leasehold.jdbc;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** These tests run elections over H2 in a file. */
@Tag("extended")
class H2ElectionContractTest extends ElectionContract {

    @TempDir
    Path directory;

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider()
                .create(StoreUri.parse(
                        "jdbc:h2:file:" + directory.resolve("locks") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0"));
    }
}
