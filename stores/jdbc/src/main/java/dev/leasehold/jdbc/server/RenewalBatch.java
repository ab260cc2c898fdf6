package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.server.Renewals.Renewal;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A renewal batch is one transaction that renews leases of one client. It locks the rows of their locks, skipping those that
 * somebody else has locked, and extends what it finds there and alive.
 *
 * <p>Leases that share a lock are renewed by one statement, in rows of their own, without their locks' rows: {@link
 * ServerHolders} says why that is right. All statements name tokens, and must change as many rows as are meant: see
 * {@link ServerLocks} for why. Else the batch fails, and each lease is renewed by itself.
 */
final class RenewalBatch {

    /** A row is that of a lock. */
    private record Row(ClaimId claim, long token, long ends, long now) {

        boolean isAlive(LeaseId lease) {
            return claim.equals(lease.claim()) && token == lease.token() && ends > now;
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
        Map<Renewal, Long> left = new HashMap<>();
        Map<Long, Map<String, Long>> sameEnd = new HashMap<>();
        for (Renewal renewal : renewals) {
            LeaseId lease = renewal.lease();
            Row row = rows.get(lease.lock());
            if (row == null || !row.isAlive(lease)) {
                continue;
            }
            long wanted = row.now() + TxContext.micros(renewal.duration());
            left.put(renewal, Math.max(row.ends(), wanted) - row.now());
            sameEnd.computeIfAbsent(wanted, end -> new LinkedHashMap<>()).put(lease.lock(), lease.token());
        }
        for (Map.Entry<Long, Map<String, Long>> same : sameEnd.entrySet()) {
            int size = ServerSql.roundedUp(same.getValue().size());
            change(texts.extendRows(size), same.getKey(), same.getValue());
        }
        return left;
    }

    /** Extends leases that share their locks, by this much, or fails. */
    void extendShared(Duration duration) throws SQLException {
        List<LeaseId> leases = renewals.stream().map(Renewal::lease).distinct().toList();
        List<String> names = leases.stream().map(LeaseId::lock).toList();
        int size = ServerSql.roundedUp(leases.size());
        Object[] values = texts.values(names, TxContext.micros(duration), client(), namespace);
        List<Long> tokens = leases.stream().map(LeaseId::token).toList();
        if (sql.change(texts.renewHolders(size), withTokens(values, tokens)) != leases.size()) {
            throw new RowReplaced();
        }
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

    private String client() {
        return renewals.get(0).lease().claim().client();
    }

    private void change(String statement, long end, Map<String, Long> tokens) throws SQLException {
        Object[] values = texts.values(List.copyOf(tokens.keySet()), end, client(), namespace);
        if (sql.change(statement, withTokens(values, List.copyOf(tokens.values()))) != tokens.size()) {
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
