package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A quiet waiter asks only when the test asks. So it hears nothing but what comes without a question, however long that takes. */
public final class QuietWaiter implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final RealTime time = new RealTime();
    private final CompletableFuture<Grant> granted = new CompletableFuture<>();
    private final AtomicInteger doubts = new AtomicInteger();
    private final Claim claim;
    private final Store store;

    public QuietWaiter(StoreFactory factory, String client, int share) {
        claim = new Claim(new ClaimId(client, 1), "x", share, LEASE, true);
        store = factory.open(new StoreContext(client, client, "", time, Duration.ofSeconds(A_MINUTE), new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                granted.complete(grant);
            }

            @Override
            public void doubt(@Nullable String lock) {
                doubts.incrementAndGet();
            }
        }));
    }

    public static QuietWaiter to(String uri, String client, int share) {
        return new QuietWaiter(new RedisStoreProvider().create(StoreUri.parse(uri)), client, share);
    }

    /** Asks for the lock, and returns the place in the queue. */
    public int place() {
        AtomicReference<ClaimAnswer> answer = new AtomicReference<>();
        await().ignoreException(ExecutionException.class).until(() -> {
            answer.set(store.claim(claim).toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS));
            return true;
        });
        return ((ClaimAnswer.Busy) answer.get()).place();
    }

    /** Waits for a reason to ask that has come since there were so many. */
    public void awaitDoubt(int before) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> doubts.get() > before);
    }

    public int doubts() {
        return doubts.get();
    }

    public CompletableFuture<Grant> granted() {
        return granted;
    }

    @Override
    public void close() {
        store.close();
        time.close();
    }
}
