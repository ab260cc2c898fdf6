package dev.leasehold.jdbc;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class H2FenceTest extends FenceContract {

    @Override
    public String url() {
        return "jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    }

    @Override
    public JdbcFence fence() {
        return JdbcFence.standard();
    }

    /** At REPEATABLE READ each table has a view of its own, so that nothing can be noticed. */
    @Override
    public List<Integer> levelsWithAView() {
        return List.of(Connection.TRANSACTION_SERIALIZABLE);
    }
}
