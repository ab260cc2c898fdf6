package dev.leasehold.spi;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.ClaimAnswer.Granted;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A trial takes, renews and releases a lock, for {@link StoreFactory#examine}: it shows whether that works at all, with
 * this user, and how long the first answer takes.
 */
public final class Trial {

    /** This lock is tried, always the same one, so that examinations leave at most one record behind. */
    public static final String LOCK = "leasehold-doctor";

    private static final Duration LEASE = Duration.ofSeconds(5);

    private Trial() {}

    /**
     * Tries a lock; blocks while it does.
     *
     * @param store the store
     * @param context what to open it with
     * @return {@code trial} if it works, {@code trial-failed} if not
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public static Finding of(StoreFactory store, StoreContext context) throws InterruptedException {
        try (Store open = store.open(context)) {
            ClaimId id = new ClaimId(context.clientId(), 1);
            long limit = context.storeTimeout().toNanos();
            try {
                return attempt(store, open, id, context.time(), limit);
            } catch (ExecutionException e) {
                withdraw(open, id, limit);
                Throwable why = e.getCause() == null ? e : e.getCause();
                return failed(store, "a lock could not be taken, renewed and released: " + why.getMessage());
            } catch (TimeoutException e) {
                withdraw(open, id, limit);
                return failed(store, "there was no answer within " + DurationText.of(context.storeTimeout()));
            }
        }
    }

    private static Finding attempt(StoreFactory store, Store open, ClaimId id, TimeSource time, long limit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long begin = time.nanos();
        ClaimAnswer answer = await(open.claim(new Claim(id, LOCK, LEASE, 0, false)), limit);
        Duration first = Duration.ofNanos(time.nanos() - begin);
        String took = ", the first answer after " + first.toMillis() + " ms";
        if (!(answer instanceof Granted granted)) {
            return Finding.of(Severity.FINE, "trial", store.toString(), "the lock '" + LOCK + "' was busy" + took);
        }
        RenewAnswer renewed = await(open.renew(granted.lease(), LEASE), limit);
        ReleaseAnswer released = await(open.release(granted.lease(), Duration.ZERO), limit);
        return renewed instanceof RenewAnswer.Lost || released != ReleaseAnswer.RELEASED
                ? failed(store, "a lock was granted and gone a moment later")
                : Finding.of(Severity.FINE, "trial", store.toString(), "a lock was taken, renewed and released" + took);
    }

    /**
     * Withdraws the claim, which may have been carried out. If this fails too, anything that it has left runs out with its
     * lease.
     */
    private static void withdraw(Store open, ClaimId id, long limit) throws InterruptedException {
        try {
            await(open.withdraw(LOCK, id), limit / 4);
        } catch (ExecutionException | TimeoutException e) {
            return; // The failure has been reported already.
        }
    }

    private static <T> T await(CompletionStage<T> answer, long limit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.toCompletableFuture().get(limit, TimeUnit.NANOSECONDS);
    }

    private static Finding failed(StoreFactory store, String what) {
        return Finding.of(Severity.SERIOUS, "trial-failed", store.toString(), what)
                .meaning("nobody gets a lock here", "see what else was found, and docs of this store");
    }
}
