package dev.leasehold.jdbc;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** These tests run H2 in a file, with the settings that it needs. */
@Tag("slow")
class H2ContractTest extends StoreContract {

    @TempDir
    Path directory;

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider()
                .create(StoreUri.parse(
                        "jdbc:h2:file:" + directory.resolve("locks") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0"));
    }
}
