package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The short cuts at the beginnings of the scripts only save work: from any state of a lock, what a script does with its
 * short cut and without it is the same. Two locks are brought into the same random state, and one is asked with, one without.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortCutsTest {

    private static final int ROUNDS = 1000;
    private static final long SECOND = 1_000_000;
    private static final Pattern TIME = Pattern.compile("\\d{16}");
    private static final Pattern RUN = Pattern.compile("[0-9a-f]{40}");
    private static final Pattern LEFT = Pattern.compile("\\b(59\\d{2}|6000|19\\d{3}|20000|29\\d{3}|30000)\\b");
    private static final String RULES = new MarkerRules(Duration.ofMinutes(1), false).text();

    /** What stands in release-free.lua beside the short cuts. */
    private static final String RELEASE_BEGINS = "local value = redis.call('GET', KEYS[1])\n"
            + "if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then return 0 end\n"
            + "redis.call('DEL', KEYS[1])\n";

    private static String read(String... resources) {
        StringBuilder text = new StringBuilder();
        for (String resource : resources) {
            text.append(Script.read(resource)).append('\n');
        }
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void changeNothingButTheCost(RedisProcess.Version version) {
        RedisClient client = RedisClient.create();
        try (RedisProcess redis = RedisProcess.start(version);
                StatefulRedisPubSubConnection<String, String> listener =
                        client.connectPubSub(RedisURI.create(redis.uri()))) {
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            listener.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    told.add(channel + " " + message);
                }
            });
            listener.sync().subscribe("with:heard", "without:heard", "with:end", "without:end");
            redis.commands()
                    .eval(Script.OPEN_QUORUM.text(), ScriptOutputType.MULTI, new String[] {MarkerRules.KEY}, RULES);
            for (int round = 0; round < ROUNDS; round++) {
                State with = new State(redis.commands(), told, "with", round);
                State without = new State(redis.commands(), told, "without", round);
                String seen = with.play(true);
                assertThat(seen).as("seed " + round + ": " + with.story()).isEqualTo(without.play(false));
            }
        } finally {
            client.shutdown();
        }
    }

    /** One lock, all about it drawn from the seed. */
    private static final class State {
        private final RedisCommands<String, String> redis;
        private final BlockingQueue<String> told;
        private final String side;
        private final Random random;
        private final String[] keys;
        private final boolean shared;
        private final long now = System.currentTimeMillis() * 1000;
        private final List<String> story = new ArrayList<>();
        private boolean deaf;

        State(RedisCommands<String, String> redis, BlockingQueue<String> told, String side, int seed) {
            this.redis = redis;
            this.told = told;
            this.side = side;
            random = new Random(seed);
            shared = random.nextInt(8) == 0;
            String beside = "leasehold:{" + side + "}";
            keys = new String[] {
                shared ? side : beside, beside + ":token", beside + ":queue", beside + ":waiters", MarkerRules.KEY
            };
        }

        String play(boolean shortCuts) {
            redis.del(keys[0], keys[1], keys[2], keys[3]);
            makeLock();
            makeLast();
            makeQueue();
            String answer = ask(shortCuts);
            redis.publish(side + ":end", "");
            List<String> heard = new ArrayList<>();
            for (String next = take(); !next.equals(side + ":end "); next = take()) {
                heard.add(next);
            }
            return label(answer + "\n" + look() + "\ntold " + heard);
        }

        private String take() {
            try {
                return Objects.requireNonNull(told.poll(10, TimeUnit.SECONDS), "a message of the server's");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void makeLock() {
            int dice = random.nextInt(12);
            String holder = dice < 5 ? "heard:1" : dice < 7 ? "heard:2" : dice == 7 ? "" : null;
            if (holder != null) {
                redis.set(
                        keys[0],
                        "leasehold|1|" + holder + "|1234567890123456|2|1234567890123456|them|x",
                        SetArgs.Builder.px(20_000));
            } else if (dice == 8) {
                redis.set(
                        keys[0],
                        random.nextBoolean() ? "leasehold|2|new" : shared ? "foreign" : "?",
                        SetArgs.Builder.px(20_000));
            }
        }

        private void makeLast() {
            int dice = random.nextInt(3);
            if (dice > 0) {
                redis.set(keys[1], Long.toString(dice == 1 ? 1234567890123456L : 8_000_000_000_000_000L));
            }
        }

        private void makeQueue() {
            for (int i = random.nextInt(4); i > 0; i--) {
                deaf |= join((random.nextInt(3) == 0 ? "deaf:" : "heard:") + (random.nextInt(2) + i));
            }
            int lives = random.nextInt(3) == 0 ? 8_000 : 26_000;
            redis.pexpire(keys[2], lives);
            redis.pexpire(keys[3], lives);
        }

        private boolean join(String claim) {
            if (redis.lpos(keys[2], claim) == null) {
                redis.rpush(keys[2], claim);
                int dice = random.nextInt(6);
                long alive = now + (dice < 2 ? -50 : 50) * SECOND;
                if (dice > 0) {
                    redis.hset(keys[3], claim, alive + "|6000|" + random.nextInt(2) + "|1234567890123456|owner|x");
                }
            }
            return claim.startsWith("deaf");
        }

        private String ask(boolean shortCuts) {
            String claim = "heard:" + (random.nextBoolean() ? 1 : 1 + random.nextInt(3));
            String begins = "leasehold|1|" + claim + "|";
            String spare = random.nextBoolean() ? "0" : "3";
            String toTell = (random.nextInt(4) == 0 ? "0|" : "1|") + side + ":|lock|s";
            String waits = random.nextInt(3) == 0 ? "0|" : "1|";
            return switch (random.nextInt(5)) {
                case 0 ->
                    eval(
                            shortCuts ? Script.CLAIM.text() : read("lock.lua", "stand.lua", "claim.lua"),
                            begins,
                            "me|x",
                            "30000",
                            spare,
                            waits + (random.nextInt(4) == 0 ? "1|" : "0|") + "12000|6000|" + toTell);
                case 1, 2 ->
                    eval(
                            shortCuts ? Script.RELEASE.text() : RELEASE_BEGINS + read("lock.lua", "release.lua"),
                            begins + "1234567890123456|",
                            random.nextInt(5) == 0 ? "20000" : "0",
                            toTell);
                case 3 -> eval(shortCuts ? Script.WITHDRAW.text() : read("lock.lua", "withdraw.lua"), claim, toTell);
                default ->
                    eval(
                            shortCuts ? Script.VOTE.text() : read("lock.lua", "stand.lua", "marker.lua", "vote.lua"),
                            claim,
                            "me|x",
                            "30000",
                            spare,
                            Long.toString(now + (random.nextInt(5) == 0 ? 100 : 1) * SECOND),
                            random.nextInt(3) + "|12000|6000|" + toTell,
                            RULES);
            };
        }

        private String eval(String script, String... args) {
            String asked = String.join(" ", args);
            story.add(asked);
            try {
                List<Object> answer = redis.eval(script, ScriptOutputType.MULTI, keys, args);
                return asked + "\n"
                        + answer.toString().replaceAll("^\\[yes\\|(.*)\\|(.*)\\|(.*)\\|(.*)]", "[yes, $1, $2, $3, $4]");
            } catch (RedisCommandExecutionException e) {
                return asked + "\n" + e.getMessage().replaceAll("script: .*", "");
            }
        }

        private String look() {
            Map<String, String> state = new TreeMap<>(redis.hgetall(keys[3]));
            return "lock " + redis.get(keys[0]) + " for " + seconds(keys[0]) + "\nlast " + redis.get(keys[1]) + " for "
                    + seconds(keys[1]) + "\nqueue " + redis.lrange(keys[2], 0, -1) + " for " + seconds(keys[2])
                    + "\nwaiters " + state + " for " + seconds(keys[3]);
        }

        /** In steps of a few seconds, none of which is near what is written. */
        private String seconds(String key) {
            long left = redis.pttl(key);
            return left < 0 ? "ever" : "about " + Math.round(left / 4_000.0 + 0.4);
        }

        /** A time that is about the present becomes a word; others are what they are. */
        private String label(String text) {
            String timeless = TIME.matcher(text).replaceAll(found -> {
                long off = Long.parseLong(found.group()) - now;
                for (int about : new int[] {-50, -30, 0, 12, 30, 50, 100}) {
                    if (Math.abs(off - about * SECOND) < 5 * SECOND) {
                        return "now+" + about;
                    }
                }
                // Those that are told and not heard have used a token up.
                return deaf && found.group().startsWith("80000") ? "later" : found.group();
            });
            return LEFT.matcher(RUN.matcher(timeless).replaceAll("RUN"))
                    .replaceAll("LEFT")
                    .replace(side, "side");
        }

        String story() {
            return story + " " + (shared ? "shared" : "");
        }
    }
}
