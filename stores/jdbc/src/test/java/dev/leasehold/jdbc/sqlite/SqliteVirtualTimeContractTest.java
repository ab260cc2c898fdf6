package dev.leasehold.jdbc.sqlite;

import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.StoreContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store on virtual time: exact, whatever the machine is busy with. */
@Tag("slow")
class SqliteVirtualTimeContractTest extends StoreContract {

    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();

    /** The machine's clock is the clients'. */
    private final class Clock implements ExpiryClock {
        @Override
        public String boot() {
            return "virtual";
        }

        @Override
        public long micros() {
            return time.nanos() / 1000;
        }

        @Override
        public long wallMicros() {
            return time.now().wallMicros();
        }
    }

    @Override
    protected StoreFactory store() {
        SqliteFactory factory = new SqliteFactory(directory.resolve("locks.db"));
        return new StoreFactory() {
            @Override
            public Store open(StoreContext context) {
                return factory.open(context, new Clock());
            }

            @Override
            public String toString() {
                return factory.toString();
            }
        };
    }

    @Override
    protected TimeSource time() {
        return time;
    }

    @Override
    protected void letPass(Duration duration) {
        time.advance(duration);
    }
}
