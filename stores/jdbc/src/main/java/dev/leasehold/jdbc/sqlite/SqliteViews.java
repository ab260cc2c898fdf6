package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.Protocol;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQLite's views show the tables of an embedded store: to its {@link Protocol}, and to a client that looks at what concerns
 * it.
 */
public final class SqliteViews {

    /** A handed grant was made while its client waited. */
    record Handed(Grant grant, @Nullable Validity validity) {}

    private final SqliteLockRows locks;
    private final SqliteWaiterRows waiters;
    private final SqliteRowExpiry rowExpiry;
    private final String namespace;

    public SqliteViews(Sql sql, String namespace) {
        this.namespace = namespace;
        this.locks = new SqliteLockRows(sql, namespace);
        this.waiters = new SqliteWaiterRows(sql);
        this.rowExpiry = new SqliteRowExpiry(locks, waiters);
    }

    public Protocol protocol(StoreContext context) {
        return new Protocol(locks, waiters, rowExpiry::step, context.owner());
    }

    /**
     * Lists the locks that were handed to a client and that it has not confirmed yet, and writes nothing. Where another
     * boot did it, this one cannot tell the time left, and the client has to ask.
     */
    List<Handed> handedTo(String client, TxContext now) throws SQLException {
        List<Handed> handed = new ArrayList<>();
        for (LockRow row : locks.handedTo(client, now)) {
            for (StoredLease lease : row.holders().all()) {
                add(handed, row.name(), lease, row.foreign(), now);
            }
        }
        for (SqliteHolderRows.Handed each : locks.holders().handedTo(client, namespace, now)) {
            add(handed, each.lock(), each.lease(), each.foreign(), now);
        }
        return handed;
    }

    private static void add(List<Handed> handed, String lock, StoredLease lease, boolean foreign, TxContext now) {
        if (lease.claim() == null || (!foreign && lease.ends() <= now.micros())) {
            return;
        }
        LeaseId id = new LeaseId(lock, lease.claim(), lease.token());
        Grant grant = new Grant(id, lease.spare(), lease.share(), lease.slot());
        handed.add(new Handed(grant, foreign ? null : now.validity(lease.ends())));
    }

    boolean carries(LeaseId lease) throws SQLException {
        return locks.carries(lease);
    }

    /** Returns the place of a claim in the queue, the dead included; 0 where it does not wait. Only reads. */
    int place(String lock, ClaimId claim) throws SQLException {
        Long id = locks.id(lock);
        return id == null ? 0 : waiters.place(id, claim);
    }
}
