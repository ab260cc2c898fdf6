package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * URIs of all stores with a mistake in them: each makes a client, or is refused with an {@link IllegalArgumentException} that does
 * not show the password. {@code -Dleasehold.runs=N} makes more of them, from {@code -Dleasehold.firstSeed=N} on.
 */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UriFuzzTest {

    private static final int RUNS = Integer.getInteger("leasehold.runs", 300);
    private static final long FIRST_SEED = Long.getLong("leasehold.firstSeed", 1);
    private static final String SECRET = "s3cr3t";

    private static final List<String> GOOD = List.of(
            "redis://user:s3cr3t@localhost:6379/2?timeout=5s",
            "rediss://:s3cr3t@localhost:6379?leasehold.keys=plain&leasehold.waitForReplicas=1",
            "redis-sentinel://:s3cr3t@localhost:26379,localhost:26380/0#main",
            "redis-cluster://localhost:7000,localhost:7001",
            "redlock://:s3cr3t@localhost:7000,localhost:7001,localhost:7002?leasehold.maxLeaseDuration=1m&leasehold.nodeTimeout=50ms",
            "zookeeper://localhost:2181,localhost:2182/app?leasehold.sessionTimeout=10000",
            "jdbc:postgresql://localhost:5432/app?user=u&password=s3cr3t&leasehold.sessionLocks=true",
            "jdbc:mariadb://localhost:3306/app?user=u&password=s3cr3t",
            "jdbc:h2:mem:x;DB_CLOSE_DELAY=-1;PASSWORD=s3cr3t",
            "sqlite:/nonexistent/locks.db?leasehold.busy=1");

    private static final List<String> PIECES = List.of(
            "",
            ":",
            "/",
            "//",
            "@",
            "?",
            "&",
            "=",
            "#",
            ",",
            "%",
            "%zz",
            "%00",
            "\0",
            " ",
            "\n",
            "[",
            "]",
            "[::1]",
            "-1",
            "99999",
            "99999999999999999999",
            "é",
            "\ud83d",
            "leasehold.",
            "leasehold.x=1&",
            "?leasehold.keys=",
            "timeout=",
            "0ms",
            "redis:",
            "jdbc:",
            "..");

    @Test
    void aMistakeInAUriIsRefusedOrHarmless() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
            String uri = mistaken(new Random(seed));
            try {
                Leasehold client = Leasehold.connect(uri);
                assertThat(client.toString()).as("seed %d: %s", seed, uri).doesNotContain(SECRET);
                client.close();
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage())
                        .as("seed %d: %s", seed, uri)
                        .isNotBlank()
                        .doesNotContain(SECRET);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + uri, e);
            }
        }
    }

    /** Only behind the scheme, so that no file is made anywhere else; and nothing before the word that makes a secret of what follows. */
    private static String mistaken(Random random) {
        String uri = GOOD.get(random.nextInt(GOOD.size()));
        for (int i = random.nextInt(3); i >= 0; i--) {
            int secret = uri.indexOf(SECRET);
            int least = uri.startsWith("sqlite:")
                    ? "sqlite:/nonexistent/".length()
                    : secret >= 0 ? secret + SECRET.length() + 1 : 6;
            int at = Math.min(uri.length(), least) + random.nextInt(Math.max(1, uri.length() - least));
            String piece = PIECES.get(random.nextInt(PIECES.size()));
            int end = Math.min(uri.length(), at + random.nextInt(4));
            uri = random.nextInt(3) == 0
                    ? uri.substring(0, at) + uri.substring(end)
                    : uri.substring(0, at) + piece + uri.substring(at);
        }
        return uri;
    }
}
