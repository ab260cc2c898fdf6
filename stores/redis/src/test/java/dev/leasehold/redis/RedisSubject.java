package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testtools.QueueEntries;
import dev.leasehold.testtools.SharedModel;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A RedisSubject compares a real Redis with the model. The server has a time of its own, so what is written there is moved
 * instead.
 */
final class RedisSubject implements SharedModel.Subject {

    private static final String KEY = "leasehold:{" + SharedModel.LOCK + "}";
    private static final Pattern END = Pattern.compile("(\n[^|\n]*\\|\\d+\\|)(\\d{16})");

    private final RedisCommands<String, String> redis;
    private final StoreFactory factory;
    private final TimeSource real;

    private RedisSubject(RedisProcess server, TimeSource real) {
        this.redis = server.commands();
        this.factory = new RedisStoreProvider().create(StoreUri.parse(server.uri()));
        this.real = real;
    }

    /** Plays a run on an empty server. */
    static void play(long seed, RedisProcess server, TimeSource real) throws Exception {
        server.commands().flushall();
        SharedModel.play(seed, new RedisSubject(server, real));
    }

    @Override
    public Store open(StoreContext context) {
        return factory.open(new StoreContext(
                context.identity(),
                context.owner(),
                context.namespace(),
                real,
                context.storeTimeout(),
                context.signals()));
    }

    @Override
    public boolean isLazy() {
        return true;
    }

    /** Makes all that is written end earlier, as if time had passed. */
    @Override
    public void advance(Duration by) {
        long micros = by.toNanos() / 1_000;
        String value = redis.get(KEY);
        long left = redis.pttl(KEY) - by.toMillis();
        if (value != null && left <= 0) {
            redis.del(KEY);
        } else if (value != null) {
            String moved = END.matcher(value)
                    .replaceAll(line -> line.group(1) + String.format("%016d", Long.parseLong(line.group(2)) - micros));
            redis.set(KEY, moved, SetArgs.Builder.px(left));
        }
        QueueEntries.shift(redis, KEY + ":queue", -micros);
    }

    @Override
    public void check(List<HolderInfo> holders, String log) {
        checkEnds(log);
        checkLast(holders, log);
    }

    /** Checks that no key stays for ever, and that the lock's own ends with the last holder and no earlier. */
    private void checkEnds(String log) {
        String value = redis.get(KEY);
        long left = redis.pttl(KEY);
        List<String> clock = redis.time();
        long now = Long.parseLong(clock.get(0)) * 1_000_000 + Long.parseLong(clock.get(1));
        if (value != null) {
            long last = END.matcher(value)
                    .results()
                    .mapToLong(line -> Long.parseLong(line.group(2)))
                    .max()
                    .orElse(now);
            assertThat(left).as("%s", log).isGreaterThanOrEqualTo((last - now) / 1000);
        }
        for (String key : redis.keys("*")) {
            assertThat(redis.pttl(key)).as(key + " at %s", log).isNotEqualTo(-1);
        }
    }

    /** Checks that the record of the last token is that of the newest holder, or of one that came after it. */
    private void checkLast(List<HolderInfo> holders, String log) {
        String last = redis.get(KEY + ":token");
        for (HolderInfo holder : holders) {
            assertThat(last == null ? 0 : Long.parseLong(last)).as("%s", log).isGreaterThanOrEqualTo(holder.token());
        }
    }
}
