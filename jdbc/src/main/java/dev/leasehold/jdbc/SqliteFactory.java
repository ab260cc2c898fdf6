package dev.leasehold.jdbc;

import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import java.nio.file.Path;

/** An embedded store that has not been opened. */
record SqliteFactory(Path path) implements StoreFactory {

    @Override
    public Store open(StoreContext context) {
        return open(context, ExpiryClock.ofThisMachine());
    }

    SqliteStore open(StoreContext context, ExpiryClock clock) {
        return new SqliteStore(new StoreFile(path), context, clock);
    }

    @Override
    public String toString() {
        return "sqlite:" + path;
    }
}
