package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.StoreUri;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * These tests are about names, patterns, options and URIs that nobody would write: each is refused with an {@link
 * IllegalArgumentException}, or works like others. {@code -Dleasehold.runs=N} makes more of them, from {@code
 * -Dleasehold.firstSeed=N} on.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InputFuzzTest {

    private static final int RUNS = Integer.getInteger("leasehold.runs", 3_000);
    private static final long FIRST_SEED = Long.getLong("leasehold.firstSeed", 1);
    private static final String SECRET = "s3cr3t";

    private static final List<String> PIECES = List.of(
            "a",
            "B",
            "/",
            ":",
            "%",
            "%2",
            "%00",
            "\0",
            "\n",
            " ",
            "*",
            "?",
            "\\",
            "{",
            "}",
            "é",
            "\ud83d",
            "\ude00",
            "🔒",
            "&",
            "=",
            ";",
            "@",
            "#",
            "[",
            "]",
            "+",
            "..",
            "//",
            "-1",
            "99999999999999999999",
            "\u200f",
            "'",
            "\"");

    private static final List<Duration> DURATIONS = List.of(
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofNanos(-1),
            Duration.ofMillis(99),
            Duration.ofMillis(100),
            Duration.ofSeconds(30),
            Duration.ofDays(36_500),
            Duration.ofDays(36_500).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

    /** Many of these options are such that a lease is warned of. Kept here, or the setting would be lost with the logger. */
    private static final Logger LOG = Logger.getLogger("dev.leasehold");

    @BeforeAll
    static void warnOfNothing() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void warnAgain() {
        LOG.setLevel(null);
    }

    private interface Call {
        void make() throws Exception;
    }

    /** Returns whether the call was not refused. Any other exception fails the test. */
    private static boolean worked(Call call) throws Exception {
        try {
            call.make();
            return true;
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain(SECRET);
            return false;
        }
    }

    private static String text(Random random, int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(pieces + 1); i > 0; i--) {
            text.append(
                    random.nextInt(200) == 0
                            ? "x".repeat(500)
                            : random.nextInt(4) == 0
                                    ? Character.toString(random.nextInt(0x11_0000))
                                    : PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    private static Duration duration(Random random) {
        return DURATIONS.get(random.nextInt(DURATIONS.size()));
    }

    /** A name that is taken is the lock's name in all that is said of it, and no other is taken for it. */
    @Test
    void namesAndPatterns() throws Exception {
        try (Leasehold client = Leasehold.connect("memory:fuzz")) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
                Random random = new Random(seed);
                String name = text(random, 6);
                String other = text(random, 6);
                boolean wellFormed = !name.isEmpty()
                        && name.indexOf('\0') < 0
                        && StandardCharsets.UTF_8.newEncoder().canEncode(name)
                        && name.getBytes(StandardCharsets.UTF_8).length <= 512;
                boolean taken = worked(() -> {
                    try (Lease lease = client.lock(name).acquire()) {
                        assertThat(lease.name()).isEqualTo(name);
                        assertThat(client.info(name)).isPresent();
                        if (!other.equals(name)) {
                            worked(() -> assertThat(client.info(other)).isEmpty());
                        }
                    }
                });
                assertThat(taken).as("seed %d: %s", seed, name).isEqualTo(wellFormed);
                worked(() -> client.locks(other));
                worked(() -> assertThat(client.prefixed(other).lock(name)).isNotNull());
            }
        }
    }

    @Test
    void optionsAndWaits() throws Exception {
        try (Leasehold client = Leasehold.connect("memory:fuzz")) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
                Random random = new Random(seed);
                LockOptions options = options(random);
                String name = "lock-" + seed;
                worked(() -> {
                    Optional<Lease> lease = client.lock(name, options).tryAcquire(duration(random));
                    lease.ifPresent(held -> {
                        try (held) {
                            Duration longer = duration(random);
                            assertThat(held.remaining()).isLessThanOrEqualTo(LockOptions.FOREVER);
                            worked(() -> held.extend(longer));
                        } catch (Exception e) {
                            throw new AssertionError(options.toString(), e);
                        }
                    });
                });
                worked(() -> client.semaphore(name + "-permits", random.nextInt())
                        .tryAcquire()
                        .ifPresent(Lease::close));
                worked(() -> client.breakLock(name, random.nextLong()));
            }
        }
    }

    private static LockOptions options(Random random) throws Exception {
        LockOptions[] options = {LockOptions.defaults()};
        for (int i = 0; i < 4; i++) {
            Duration duration = duration(random);
            switch (random.nextInt(4)) {
                case 0 -> worked(() -> options[0] = options[0].withLeaseDuration(duration));
                case 1 -> worked(() -> options[0] = options[0].withMaxHold(duration));
                case 2 -> worked(() -> options[0] = options[0].withMinHold(duration));
                default -> options[0] = options[0].withAutoRenew(random.nextBoolean());
            }
        }
        return options[0];
    }

    @Test
    void uris() throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
            Random random = new Random(seed);
            String uri = text(random, 2) + "memory:" + text(random, 4) + (random.nextBoolean() ? "?" : "")
                    + "leasehold." + text(random, 2) + "=" + text(random, 3) + "&password=" + SECRET + "&"
                    + text(random, 3);
            worked(() -> {
                StoreUri parsed = StoreUri.parse(uri);
                assertThat(parsed.toString()).as(uri).doesNotContain(SECRET);
            });
            worked(() -> Leasehold.connect(uri).close());
        }
    }
}
