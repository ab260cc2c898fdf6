package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out in one statement what needs no more where nobody waits: each statement looks at the lock's own row alone,
 * and changes it only if it is free, or carries the lease. Null where that is not so; then a transaction has to look
 * closer. Thread-safe.
 */
final class SingleStatementPath {

    private static final int MOST_KNOWN = 10_000;

    private final ServerSql texts;
    private final Object namespace;
    private final String owner;
    private final Consumer<String> added;

    /** These locks have a row, so a claim of one that is taken does not try to insert it. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /**
     * Makes the statements ready.
     *
     * @param added hears of locks that had no row
     */
    SingleStatementPath(ServerSql texts, Object namespace, String owner, Consumer<String> added) {
        this.added = added;
        this.texts = texts;
        this.namespace = namespace;
        this.owner = owner;
    }

    @Nullable ClaimAnswer claim(Sql sql, Claim claim, ClockReading sentAt) throws SQLException {
        Object name = texts.dialect().name(claim.lock());
        long lease = TxContext.micros(claim.lease());
        long spare = claim.spare();
        Long token = texts.dialect()
                .update(
                        sql,
                        texts.grantFree,
                        "token",
                        spare,
                        claim.id().client(),
                        claim.id().counter(),
                        owner,
                        lease,
                        spare,
                        namespace,
                        name);
        if (token == null && !known.contains(claim.lock())) {
            token = texts.dialect()
                    .update(
                            sql,
                            texts.insertGranted,
                            "token",
                            namespace,
                            name,
                            spare,
                            claim.id().client(),
                            claim.id().counter(),
                            owner,
                            lease,
                            spare);
            if (token != null) {
                added.accept(claim.lock());
            }
        }
        know(claim.lock());
        if (token == null) {
            return null;
        }
        // Each of the two statements set the end to its own time plus the lease, and was sent after sentAt.
        Validity validity = Validity.of(sentAt, Duration.of(lease, ChronoUnit.MICROS));
        return new ClaimAnswer.Granted(new LeaseId(claim.lock(), claim.id(), token), claim.spare(), validity);
    }

    @Nullable RenewAnswer renew(Sql sql, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        return renewed(sql, texts.renew, lease, duration, sentAt);
    }

    /** Does the same for a lease that shares the lock. */
    @Nullable RenewAnswer renewShared(Sql sql, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        return renewed(sql, texts.renewHolder, lease, duration, sentAt);
    }

    private @Nullable RenewAnswer renewed(
            Sql sql, String statement, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        Long left = texts.dialect()
                .update(
                        sql,
                        statement,
                        texts.timeLeft,
                        TxContext.micros(duration),
                        namespace,
                        texts.dialect().name(lease.lock()),
                        lease.claim().client(),
                        lease.claim().counter(),
                        lease.token());
        return left == null ? null : new RenewAnswer.Renewed(Validity.of(sentAt, Duration.of(left, ChronoUnit.MICROS)));
    }

    @Nullable ReleaseAnswer release(Sql sql, LeaseId lease, Duration keepFor) throws SQLException {
        Object name = texts.dialect().name(lease.lock());
        long keep = TxContext.micros(keepFor);
        int changed = keep > 0
                ? sql.change(
                        texts.releaseAndKeep,
                        keep,
                        namespace,
                        name,
                        lease.claim().client(),
                        lease.claim().counter(),
                        lease.token())
                : sql.change(
                        texts.release,
                        namespace,
                        name,
                        lease.claim().client(),
                        lease.claim().counter(),
                        lease.token());
        return changed == 0 ? null : ReleaseAnswer.RELEASED;
    }

    private void know(String lock) {
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.add(lock);
    }
}
