package dev.leasehold.testtools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Tampering is a seeded fuzz test of a store that somebody tampers with behind its back: whatever stands there, no call hangs or fails with
 * anything but a {@link LockException} that names the store and the lock; one client never has two valid leases of one mutex; it
 * serves other locks meanwhile, and this one again when what was tampered with has been removed. That a mutex and a reader exclude
 * each other is not asked for: the store alone says so, and it may have been made to forget.
 */
public final class Tampering {

    /** A hand is how the store is tampered with, in one module. */
    public interface Hand {
        /**
         * Tampers with what the store keeps of a lock.
         *
         * @param lock the lock's name, of lower-case letters, digits and hyphens
         * @param random decides what is done
         * @throws Exception if it cannot be done; the test fails
         */
        void tamper(String lock, Random random) throws Exception;

        /**
         * Removes all that the store keeps of a lock.
         *
         * @param lock the lock's name
         * @throws Exception if it cannot be done; the test fails
         */
        void remove(String lock) throws Exception;
    }

    private interface Call {
        Optional<Lease> make() throws InterruptedException;
    }

    private static final int RUNS = 8;
    private static final Duration BRIEF = Duration.ofMillis(150);
    private static final int LONGEST_MESSAGE = 3_000;

    private final Leasehold client;
    private final String store;
    private final Hand hand;
    private String run = "";
    private String lock = "";

    private Tampering(Leasehold client, String store, Hand hand) {
        this.client = client;
        this.store = store;
        this.hand = hand;
    }

    /** {@return how many runs a fuzz test makes: {@code -Dleasehold.runs}, or few} */
    public static int runs() {
        return Integer.getInteger("leasehold.runs", RUNS);
    }

    /** {@return the seed of the first run: {@code -Dleasehold.firstSeed}, or 1} */
    public static long firstSeed() {
        return Long.getLong("leasehold.firstSeed", 1);
    }

    /**
     * Makes all runs.
     *
     * @param client a client of the store
     * @param store what each message has to name
     * @param hand tampers with the store
     * @param known seeds that have shown something once: they are run in any case
     * @throws Exception if the hand cannot do what it should
     */
    public static void fuzz(Leasehold client, String store, Hand hand, long... known) throws Exception {
        for (long seed : known) {
            new Tampering(client, store, hand).run(seed);
        }
        for (long seed = firstSeed(); seed < firstSeed() + runs(); seed++) {
            new Tampering(client, store, hand).run(seed);
        }
    }

    private void run(long seed) throws Exception {
        Random random = new Random(seed);
        run = "seed " + seed;
        lock = "tampered-" + seed;
        try (Lease held = client.lock(lock).acquire()) {
            boolean free = random.nextInt(3) == 0;
            if (free) {
                held.release();
            }
            int times = 1 + random.nextInt(2);
            for (int i = 0; i < times; i++) {
                hand.tamper(lock, random);
            }
            for (int i = 0; i < 3; i++) {
                once(held, random);
            }
        } catch (LockException e) {
            explained(e); // The release.
        }
        try (Lease other = client.lock("another").acquire()) {
            assertThat(other.isValid()).as(run).isTrue();
        }
        hand.remove(lock);
        try (Lease again = client.lock(lock).acquire()) {
            assertThat(again.isValid()).as(run).isTrue();
        }
    }

    private void once(Lease held, Random random) throws InterruptedException {
        switch (random.nextInt(6)) {
            case 0, 1 -> exclusively(held, () -> client.lock(lock).tryAcquire(BRIEF));
            case 2 -> exclusively(held, () -> client.lock(lock).tryAcquire());
            case 3 -> // A reader and a mutex of one name each ask the store, and no store can tell a row that was
                // deleted from
                // one that never was: tokens order the two
                // (TamperedRowsTest.aReaderBesideALostMutexHasTheGreaterToken).
                exclusively(null, () -> client.readWriteLock(lock).read().tryAcquire(BRIEF));
            case 4 ->
                exclusively(held, () -> {
                    client.info(lock);
                    client.locks("*");
                    return Optional.empty();
                });
            default ->
                exclusively(held, () -> {
                    held.extend(Duration.ofSeconds(30));
                    return Optional.empty();
                });
        }
    }

    private void exclusively(@Nullable Lease held, Call call) throws InterruptedException {
        Optional<Lease> granted = Optional.empty();
        try {
            granted = call.make();
            boolean both = held != null
                    && held.isValid()
                    && granted.filter(Lease::isValid).isPresent();
            assertThat(both)
                    .as("%s: two valid leases, %s and %s", run, held, granted)
                    .isFalse();
        } catch (LockException e) {
            explained(e);
        } finally {
            try {
                granted.ifPresent(Lease::close);
            } catch (LockException e) {
                explained(e);
            }
        }
    }

    private void explained(LockException e) {
        assertThat(e.getMessage()).as(run).contains(lock).hasSizeLessThan(LONGEST_MESSAGE);
        if (!(e instanceof LeaseLostException)) {
            assertThat(e.getMessage()).as(run).containsIgnoringCase(store);
        }
    }
}
