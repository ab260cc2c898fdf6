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
 * The holders that share locks on a server, within one transaction, which has locked the row of the lock in question.
 *
 * <p>A transaction that is carried out again later does no harm here either: each statement names tokens, and no token is
 * used twice. A holder is added only beside a lock's row that still says what was written just before.
 */
final class ServerHolders {

    /** Those of one lock. */
    record Found(Holders alive, boolean anyOver) {}

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
        return new Found(new Holders(alive), alive.size() < all.size());
    }

    void removeExpired(String lock, TxContext now) throws SQLException {
        sql.change(texts.removeExpiredHolders, namespace, name(lock), now.micros());
    }

    /** Removes those that are over and were left behind, when a single statement took the lock. */
    void clear(String lock, long last) throws SQLException {
        sql.change(texts.clearHolders, namespace, name(lock), last);
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

    void write(String lock, StoredLease holder) throws SQLException {
        ClaimId claim = holder.claim();
        int changed = sql.change(
                texts.writeHolder,
                claim == null ? null : claim.client(),
                claim == null ? null : claim.counter(),
                holder.owner(),
                holder.ends(),
                namespace,
                name(lock),
                holder.token());
        // A connection may count only rows that are different afterwards.
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
