package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.server.Renewals.Renewal;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A renewal batch is one transaction that renews leases of one client. It locks the rows of their locks, skipping those that
 * somebody else has locked, and extends what it finds there and alive.
 *
 * <p>Holders that share a lock are rows of their own, which are safe to read and write once the lock's row is locked. As
 * everywhere, the lock's row is made to end late enough before a holder is. All statements name tokens, and must change as many rows as
 * were found: see {@link ServerLocks} for why. Else the transaction fails, and each lease is renewed by itself.
 */
final class RenewalBatch {

    /** The row of a lock. */
    private record Row(ClaimId claim, long token, long ends, long now) {

        boolean isShared() {
            return LockRow.SEVERAL.equals(claim);
        }
    }

    private final List<Renewal> renewals;
    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;

    RenewalBatch(List<Renewal> renewals, Sql sql, ServerSql texts, Object namespace) {
        this.renewals = renewals;
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
    }

    /** Extends what can be extended, and tells how many microseconds are left to it. Does not commit. */
    Map<Renewal, Long> extend() throws SQLException {
        Map<String, Row> rows = lock();
        Map<LeaseId, Long> alive = alive(rows);
        Map<Renewal, Long> left = new HashMap<>();
        Map<Long, Set<LeaseId>> alone = new HashMap<>();
        Map<Long, Set<LeaseId>> sharing = new HashMap<>();
        Map<String, Long> lastEnds = new LinkedHashMap<>();
        for (Renewal renewal : renewals) {
            LeaseId lease = renewal.lease();
            Row row = rows.get(lease.lock());
            Long ends = alive.get(lease);
            if (row == null || ends == null || left.containsKey(renewal)) {
                continue;
            }
            long wanted = row.now() + TxContext.micros(renewal.duration());
            left.put(renewal, Math.max(ends, wanted) - row.now());
            if (!row.isShared()) {
                alone.computeIfAbsent(wanted, end -> new LinkedHashSet<>()).add(lease);
            } else if (wanted > ends) {
                sharing.computeIfAbsent(wanted, end -> new LinkedHashSet<>()).add(lease);
                lastEnds.merge(lease.lock(), wanted, Math::max);
            }
        }
        for (Map.Entry<Long, Set<LeaseId>> same : alone.entrySet()) {
            extendRows(same.getKey(), same.getValue());
        }
        raise(rows, lastEnds);
        for (Map.Entry<Long, Set<LeaseId>> same : sharing.entrySet()) {
            extendHolders(same.getKey(), same.getValue());
        }
        return left;
    }

    private Map<String, Row> lock() throws SQLException {
        List<String> names =
                renewals.stream().map(renewal -> renewal.lease().lock()).toList();
        Map<String, Row> rows = new HashMap<>();
        sql.all(
                texts.lockRows(ServerSql.roundedUp(names.size())),
                row -> {
                    String client = row.getString(2);
                    if (client != null) {
                        ClaimId claim = new ClaimId(client, row.getLong(3));
                        rows.put(
                                texts.dialect().name(row, 1),
                                new Row(claim, row.getLong(4), row.getLong(5), row.getLong(6)));
                    }
                    return rows;
                },
                texts.values(names, namespace));
        return rows;
    }

    /** The ends of the leases that are there and are not over. */
    private Map<LeaseId, Long> alive(Map<String, Row> rows) throws SQLException {
        Map<LeaseId, Long> alive = new HashMap<>();
        List<String> shared = new ArrayList<>();
        rows.forEach((name, row) -> {
            if (row.isShared()) {
                shared.add(name);
            } else if (row.ends() > row.now()) {
                alive.put(new LeaseId(name, row.claim(), row.token()), row.ends());
            }
        });
        if (!shared.isEmpty()) {
            String client = client();
            sql.all(
                    texts.ownHolders(ServerSql.roundedUp(shared.size())),
                    holder -> {
                        String name = texts.dialect().name(holder, 1);
                        ClaimId claim = new ClaimId(client, holder.getLong(2));
                        long ends = holder.getLong(4);
                        Row row = rows.get(name);
                        if (row != null && ends > row.now()) {
                            alive.put(new LeaseId(name, claim, holder.getLong(3)), ends);
                        }
                        return alive;
                    },
                    texts.values(shared, client, namespace));
        }
        return alive;
    }

    private String client() {
        return renewals.get(0).lease().claim().client();
    }

    private void extendRows(long end, Set<LeaseId> leases) throws SQLException {
        Map<String, Long> tokens = new LinkedHashMap<>();
        leases.forEach(lease -> tokens.put(lease.lock(), lease.token()));
        extendRows(end, client(), tokens);
    }

    /** Has no lock's row end before a holder will. */
    private void raise(Map<String, Row> rows, Map<String, Long> lastEnds) throws SQLException {
        Map<Long, Map<String, Long>> tokens = new HashMap<>();
        lastEnds.forEach((name, end) -> {
            Row row = rows.get(name);
            if (row != null && end > row.ends()) {
                tokens.computeIfAbsent(end, each -> new LinkedHashMap<>()).put(name, row.token());
            }
        });
        for (Map.Entry<Long, Map<String, Long>> same : tokens.entrySet()) {
            extendRows(same.getKey(), LockRow.SEVERAL.client(), same.getValue());
        }
    }

    private void extendRows(long end, String client, Map<String, Long> tokens) throws SQLException {
        int size = ServerSql.roundedUp(tokens.size());
        Object[] values = texts.values(List.copyOf(tokens.keySet()), end, client, namespace);
        change(texts.extendRows(size), withTokens(values, List.copyOf(tokens.values())), tokens.size());
    }

    private void extendHolders(long end, Set<LeaseId> leases) throws SQLException {
        List<String> names = leases.stream().map(LeaseId::lock).distinct().toList();
        List<Long> tokens = leases.stream().map(LeaseId::token).distinct().toList();
        Object[] values = texts.values(names, end, client(), namespace);
        change(
                texts.extendHolders(ServerSql.roundedUp(names.size()), ServerSql.roundedUp(tokens.size())),
                withTokens(values, tokens),
                leases.size());
    }

    private void change(String statement, Object[] values, int rows) throws SQLException {
        if (sql.change(statement, values) != rows) {
            throw new RowReplaced();
        }
    }

    private static Object[] withTokens(Object[] named, List<Long> tokens) {
        Object[] values = Arrays.copyOf(named, named.length + ServerSql.roundedUp(tokens.size()));
        for (int i = named.length; i < values.length; i++) {
            values[i] = tokens.get(Math.min(i - named.length, tokens.size() - 1));
        }
        return values;
    }
}
