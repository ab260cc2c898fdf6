package dev.leasehold.jdbc.sqlite;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import java.nio.file.Path;
import java.util.List;

/** An SQLite factory is an embedded store that has not been opened. */
public record SqliteFactory(Path path) implements StoreFactory {

    @Override
    public Store open(StoreContext context) {
        return open(context, ExpiryClock.ofThisMachine());
    }

    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        StoreFile file = new StoreFile(path);
        List<Finding> findings = new SqliteDoctor(file, ExpiryClock.ofThisMachine()).examine();
        if (!file.isMissing()) {
            findings.add(Trial.of(this, context));
        }
        return new Examination(findings);
    }

    public SqliteStore open(StoreContext context, ExpiryClock clock) {
        return new SqliteStore(new StoreFile(path), context, clock);
    }

    @Override
    public String kind() {
        return "sqlite";
    }

    @Override
    public String toString() {
        return "sqlite:" + path;
    }
}
