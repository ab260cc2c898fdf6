package dev.leasehold.testtools;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * An answer fuzz is a seeded test of a client whose servers' answers make no sense: no call hangs or fails with anything but
 * a {@link LockException} that names the store, nothing is granted that another has, and the client serves other locks
 * afterwards. {@code -Dleasehold.runs=N} makes more runs, from {@code -Dleasehold.firstSeed=N} on.
 */
public final class AnswerFuzz {

    private static final int RUNS = 10;
    private static final int LONGEST_MESSAGE = 2_000;

    /** More answers than one call asks for again. */
    private static final int MANY = 100;

    private final Leasehold fuzzed;
    private final List<SpoilingProxy> proxies;
    private final String store;

    private AnswerFuzz(Leasehold fuzzed, List<SpoilingProxy> proxies, String store) {
        this.fuzzed = fuzzed;
        this.proxies = proxies;
        this.store = store;
    }

    /**
     * Makes all runs.
     *
     * @param holder a client of the store that no proxy disturbs
     * @param fuzzed a client of the store through proxies
     * @param proxies all of them
     * @param store what each message has to name
     * @param known seeds that have shown something once: they are run in any case
     * @throws InterruptedException if the thread is interrupted
     */
    public static void fuzz(
            Leasehold holder, Leasehold fuzzed, List<SpoilingProxy> proxies, String store, long... known)
            throws InterruptedException {
        AnswerFuzz fuzz = new AnswerFuzz(fuzzed, proxies, store);
        try (Lease held = holder.lock("held").acquire()) {
            for (long seed : known) {
                fuzz.run(seed, held);
            }
            long first = Tampering.firstSeed();
            for (long seed = first; seed < first + Integer.getInteger("leasehold.runs", RUNS); seed++) {
                fuzz.run(seed, held);
            }
            assertThat(proxies).anyMatch(proxy -> proxy.closedBehind() > 0);
        }
    }

    private void run(long seed, Lease held) throws InterruptedException {
        Random random = new Random(seed);
        for (SpoilingProxy proxy : proxies) {
            int few = 1 + random.nextInt(3);
            proxy.spoil(seed % 4 == 3 ? MANY : few, random.nextLong());
        }
        String run = "seed " + seed;
        try {
            call(seed, random, run);
        } catch (LockException e) {
            assertThat(e.getMessage()).as(run).contains(store).hasSizeLessThan(LONGEST_MESSAGE);
        }
        proxies.forEach(proxy -> proxy.spoil(0, 0));
        servesAgain(run);
        assertThat(held.isValid()).as(run).isTrue();
    }

    private void call(long seed, Random random, String run) throws InterruptedException {
        switch (random.nextInt(4)) {
            case 0 -> {
                Optional<Lease> granted = fuzzed.lock("held").tryAcquire(Duration.ofMillis(100));
                assertThat(granted.filter(Lease::isValid)).as(run).isEmpty();
            }
            case 1 -> {
                try (Lease lease = fuzzed.lock("free-" + seed).acquire()) {
                    lease.extend(Duration.ofSeconds(6));
                }
            }
            case 2 -> fuzzed.locks("*");
            default -> fuzzed.lock("free").tryAcquire().ifPresent(Lease::close);
        }
    }

    private void servesAgain(String run) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(A_MINUTE);
        while (true) {
            try (Lease lease = fuzzed.lock("another").acquire()) {
                lease.ensureValid();
                return;
            } catch (LockException e) {
                assertThat(System.nanoTime() - end).as(run + ": " + e).isNegative();
            }
        }
    }
}
