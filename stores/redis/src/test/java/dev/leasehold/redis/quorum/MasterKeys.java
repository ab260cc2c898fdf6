package dev.leasehold.redis.quorum;

import dev.leasehold.redis.LastTokens;
import dev.leasehold.testtools.QueueEntries;
import io.lettuce.core.KeyValue;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** MasterKeys reads and changes what a real master of a quorum has written of one lock and of itself. */
final class MasterKeys {

    private static final String READERS = "leasehold|2|";

    private final RedisCommands<String, String> redis;
    private final String key;
    private int together;

    MasterKeys(RedisCommands<String, String> redis, String lock) {
        this.redis = redis;
        this.key = "leasehold:{" + lock + "}";
    }

    /** Returns how many readers have held the lock at the same time. */
    int together() {
        return together;
    }

    List<String> claims() {
        return QueueEntries.claims(redis, key + ":queue");
    }

    @Nullable Long last() {
        String stored = redis.get(key + ":token");
        return stored == null ? null : Long.valueOf(stored.split("\\|")[0]);
    }

    void setLast(long token) {
        redis.set(key + ":token", Long.toString(token));
    }

    /** Returns when the marker was written, by the server's clock. */
    @Nullable Long markerSince() {
        String marker = redis.get("leasehold:quorum");
        return marker == null ? null : Long.valueOf(marker.split("\\|")[3]);
    }

    /** Returns the latest time of the server's clock that is written with a holder, in microseconds. */
    long latest() {
        String value = redis.get(key);
        if (value == null) {
            return 0;
        }
        if (value.startsWith(READERS)) {
            return readers(value)
                    .mapToLong(parts -> Long.parseLong(parts[3]))
                    .max()
                    .orElse(0);
        }
        return Long.parseLong(value.split("\\|", -1)[5]);
    }

    void flush() {
        redis.flushall();
    }

    /** Makes the marker that of another run, as after a restart from a snapshot. Returns whether there is a marker. */
    boolean restart() {
        String marker = redis.get("leasehold:quorum");
        if (marker == null) {
            return false;
        }
        String[] parts = marker.split("\\|");
        parts[2] = "0123abcd";
        redis.set("leasehold:quorum", String.join("|", parts));
        return true;
    }

    /** Makes all that is written older, as if time had passed. */
    void age(Duration duration) {
        long micros = TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
        String value = redis.get(key);
        if (value != null && value.startsWith(READERS)) {
            List<String> lines = new ArrayList<>(List.of(value.split("\n", -1)[0]));
            readers(value).forEach(parts -> {
                parts[2] = Long.toString(Long.parseLong(parts[2]) - micros);
                lines.add(String.join("|", parts));
            });
            redis.set(key, String.join("\n", lines), SetArgs.Builder.keepttl());
        }
        for (String each : List.of(key, key + ":queue", key + ":token:shut")) {
            long left = redis.pttl(each);
            if (left > 0) {
                redis.pexpire(each, left - duration.toMillis());
            }
        }
        QueueEntries.shift(redis, key + ":queue", -micros);
        ageMarker(micros);
    }

    void ageMarker(long micros) {
        String marker = redis.get("leasehold:quorum");
        if (marker != null) {
            String[] parts = marker.split("\\|");
            parts[3] = Long.toString(Long.parseLong(parts[3]) - micros);
            redis.set("leasehold:quorum", String.join("|", parts));
        }
    }

    /** Keeps readers shut out for an hour, if they are, since the test is not always fast enough for a short time. */
    boolean keepShut() {
        return redis.pexpire(key + ":token:shut", Duration.ofHours(1).toMillis());
    }

    /** Returns who holds the lock, its last tokens and who waits, as a {@link dev.leasehold.redis.ModelMaster} says it. */
    String state(long now) {
        List<KeyValue<String, String>> both = redis.mget(key, key + ":token");
        String value = both.get(0).getValueOrElse("");
        String[] parts = value.split("\\|", -1);
        String held = value.isEmpty()
                ? "free"
                : value.startsWith(READERS) ? readersAlive(value, now) : parts[2] + " " + parts[3] + " " + parts[4];
        List<String> living = QueueEntries.alive(redis, key + ":queue", now);
        return held + ", last " + both.get(1).getValueOrElse("none") + ", " + living;
    }

    /** Returns the parts of each reader's line. */
    private static Stream<String[]> readers(String value) {
        return value.lines().skip(1).map(line -> line.split("\\|", 5));
    }

    private String readersAlive(String value, long now) {
        LastTokens before =
                LastTokens.parse(value.lines().findFirst().orElseThrow().substring(READERS.length()));
        List<String> alive = new ArrayList<>();
        for (String[] parts : readers(value).toList()) {
            if (Long.parseLong(parts[2]) > now) {
                alive.add(parts[0] + " " + parts[1]);
            } else {
                before = before.withReader(Long.parseLong(parts[1]));
            }
        }
        together = Math.max(together, alive.size());
        return alive.isEmpty()
                ? "free"
                : "readers after " + before + " " + alive.stream().sorted().toList();
    }
}
