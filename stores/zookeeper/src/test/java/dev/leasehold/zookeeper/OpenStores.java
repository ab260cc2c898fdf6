package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Open stores are those that one test opens, with the grants of which they learned by a signal. All are closed after the
 * test.
 */
final class OpenStores implements AfterEachCallback {

    static final Duration LEASE = Duration.ofMinutes(10);

    final List<Grant> granted = new CopyOnWriteArrayList<>();
    private final List<Store> stores = new ArrayList<>();
    private final AtomicLong claims = new AtomicLong();
    private final TestTime time = new TestTime();

    Store open(String client, StoreFactory factory) {
        Store store = factory.open(new StoreContext(client, client, "", time, Duration.ofSeconds(15), new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                if (validity == null) {
                    granted.add(grant);
                }
            }

            @Override
            public void doubt(@Nullable String of) {}
        }));
        stores.add(store);
        return store;
    }

    ClaimId newId(String client) {
        return new ClaimId(client, claims.incrementAndGet());
    }

    Claim claim(String client, String lock, int share) {
        return new Claim(newId(client), lock, share, LEASE, true);
    }

    boolean isGranted(Claim claim) {
        return granted.stream().anyMatch(grant -> grant.lease().claim().equals(claim.id()));
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stores.forEach(Store::close);
        time.close();
    }
}
