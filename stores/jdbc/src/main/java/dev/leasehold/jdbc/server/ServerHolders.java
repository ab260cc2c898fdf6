package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.Holders;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Server holders are those that share locks on a server, within one transaction, which has locked the row of the lock in
 * question.
 *
 * <p>Whether a holder is over is decided by removing its row, because renewals change only that row ({@link
 * SingleStatementPath}): one that comes before is found by the removal, one that comes later finds no row. So no renewal
 * waits for a transaction that has locked the lock's row.
 *
 * <p>A transaction that is carried out again later does no harm here either: each statement names tokens, and no token is
 * used twice. A holder is added only beside a lock's row that still says what was written just before.
 */
final class ServerHolders {

    /** Found rows are those of one lock. */
    record Found(Holders alive, int over) {}

    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;

    ServerHolders(Sql sql, ServerSql texts, Object namespace) {
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
    }

    Found of(String lock, TxContext now) throws SQLException {
        List<StoredLease> all = sql.all(texts.holders, ServerHolders::read, namespace, name(lock));
        List<StoredLease> alive =
                all.stream().filter(each -> each.ends() > now.micros()).toList();
        return new Found(new Holders(alive), all.size() - alive.size());
    }

    /**
     * Removes those that are over. A holder that renews just before that, without the lock's row, is alive: then all
     * begins anew.
     */
    void removeExpired(String lock, int over, TxContext now) throws SQLException {
        if (sql.change(texts.removeExpiredHolders, namespace, name(lock), now.micros()) != over) {
            throw new RowReplaced();
        }
    }

    /** Adds a holder to a lock whose row has just been written, with that last token. */
    void add(String lock, StoredLease holder, long last) throws SQLException {
        ClaimId claim = holder.claim();
        int added = sql.change(
                texts.addHolder,
                holder.token(),
                claim == null ? null : claim.client(),
                claim == null ? null : claim.counter(),
                holder.owner(),
                holder.runEnd(),
                (long) holder.share(),
                (long) holder.slot(),
                holder.since(),
                holder.ends(),
                namespace,
                name(lock),
                last,
                holder.token());
        if (added == 0) {
            throw new RowReplaced();
        }
    }

    void extend(String lock, StoredLease holder) throws SQLException {
        written(lock, holder, sql.change(texts.extendHolder, holder.ends(), namespace, name(lock), holder.token()));
    }

    /** Takes the lock from a holder and keeps its share until that end. */
    void keep(String lock, StoredLease holder, long end) throws SQLException {
        written(lock, holder, sql.change(texts.keepHolder, end, namespace, name(lock), holder.token()));
    }

    /** A connection may count only rows that are different afterwards. */
    private void written(String lock, StoredLease holder, int changed) throws SQLException {
        if (changed == 0 && sql.first(texts.findHolder, row -> 1, namespace, name(lock), holder.token()) == null) {
            throw new RowReplaced();
        }
    }

    void remove(String lock, StoredLease holder) throws SQLException {
        sql.change(texts.removeHolder, namespace, name(lock), holder.token());
    }

    private Object name(String lock) {
        return texts.dialect().name(lock);
    }

    private static StoredLease read(ResultSet row) throws SQLException {
        String client = row.getString(1);
        @Nullable ClaimId claim = client == null ? null : new ClaimId(client, row.getLong(2));
        return new StoredLease(
                claim,
                row.getString(3),
                row.getLong(4),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getLong(8),
                row.getLong(9));
    }
}
