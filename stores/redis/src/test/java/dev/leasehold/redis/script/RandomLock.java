package dev.leasehold.redis.script;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.testtools.QueueEntries;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A RandomLock is a lock on a real server, all about it drawn from a seed, that is asked once, with a short cut or without. */
final class RandomLock {

    static final MarkerRules RULES = new MarkerRules(Duration.ofMinutes(1), false, KeyNames.ROOT);

    private static final long SECOND = 1_000_000;
    private static final String STAMP = "0123456789abcdef0123456789ABCDEF";

    /** The tokens that ballots propose, in seconds from now: some were made long ago, some are too far ahead. */
    private static final int[] PROPOSALS = {0, 0, 12, -20, -38, -70, 26, 34, 100};

    /** The tokens that waiters want to have spare; {@code s}, and 0 with a share, for one that shares. */
    private static final String[] SPARES = {"0", "0", "1", "s", "00", "02", "03"};

    /** This is what stands in release-free.lua beside the short cuts. */
    private static final String RELEASE_BEGINS = "local value = redis.call('GET', KEYS[1])\n"
            + "local shares = value and string.sub(value, 1, 12) == 'leasehold|2|'\n"
            + "if not shares and (not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1]) then return 0 end\n"
            + "if not shares then redis.call('DEL', KEYS[1]) end\n";

    private final RedisCommands<String, String> redis;
    private final BlockingQueue<String> told;
    private final String side;
    private final String marker;
    private final Random random;
    private final String[] keys;
    private final boolean shared;
    private final boolean young;
    /**
     * The queue ends soon. Then no waiter in it asks for as long as the claim does: it would have prolonged the queue.
     */
    private final boolean brief;

    private final long now = System.currentTimeMillis() * 1000;
    private final List<String> story = new ArrayList<>();
    private boolean deaf;

    RandomLock(RedisCommands<String, String> redis, BlockingQueue<String> told, String side, String marker, int seed) {
        this.redis = redis;
        this.told = told;
        this.side = side;
        this.marker = marker;
        random = new Random(seed);
        shared = random.nextInt(8) == 0;
        young = random.nextInt(3) == 0;
        brief = random.nextInt(3) == 0;
        String beside = "leasehold:{" + side + "}";
        keys = new String[] {shared ? side : beside, beside + ":token", beside + ":queue", beside + ":marker"};
    }

    String play(boolean shortCuts) {
        redis.del(keys);
        if (random.nextInt(3) > 0) {
            makeLock();
            makeQueue();
        }
        makeLast();
        String answer = ask(shortCuts);
        redis.publish(side + ":end", "");
        List<String> heard = new ArrayList<>();
        for (String next = take(); !next.equals(side + ":end "); next = take()) {
            heard.add(next);
        }
        TimelessLook look = new TimelessLook(redis, side, keys, now, deaf);
        return look.label(answer + "\n" + look.all() + "\ntold " + heard);
    }

    private String take() {
        try {
            return Objects.requireNonNull(told.poll(A_MINUTE, TimeUnit.SECONDS), "a message of the server's");
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
                    "leasehold|1|" + holder + "|1234567890123456|2|" + (young ? now : 1234567890123456L) + "|them|x"
                            + new String[] {"", "\n", "\n1234567890123333"}[random.nextInt(3)],
                    SetArgs.Builder.px(20_000));
        } else if (dice == 9) {
            redis.set(
                    keys[0], "leasehold|2|" + (random.nextBoolean() ? "-" : "1234567890123333|0") + holders(), px20());
        } else if (dice == 10) {
            redis.set(keys[0], "leasehold|2|-" + permits(), SetArgs.Builder.px(30_000));
        } else if (dice == 8) {
            redis.set(
                    keys[0],
                    random.nextBoolean() ? "leasehold|9|new" : shared ? "foreign" : "?",
                    SetArgs.Builder.px(20_000));
        }
    }

    private static SetArgs px20() {
        return SetArgs.Builder.px(20_000);
    }

    /** Draws some of several holders, one of them perhaps gone. */
    private String holders() {
        int share = random.nextInt(4);
        String rest = "|1234567890123456|0|" + (share == 1 ? 0 : share) + "|" + (share > 1 ? 1 : -1) + "|them|x";
        String gone = random.nextBoolean() ? "" : "\nheard:2|1234567890123455|1234567890123456" + rest;
        return gone + "\nheard:1|1234567890123456|" + (now + 20 * SECOND) + rest;
    }

    /** Draws permits, as many as there can be, or almost; one of them ends before the others. */
    private String permits() {
        int share = 2 + random.nextInt(2);
        int first = random.nextInt(share);
        int odd = random.nextInt(4);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < share - (odd == 0 ? 1 : 0); i++) {
            int slot = (first + i) % share;
            boolean isGone = odd == 1 && i == 1;
            lines.append(slot == 0 ? "\nheard:1|1234567890123456|" : "\nother:" + i + "|123456789012345" + i + '|')
                    .append(isGone ? 1234567890123456L : now + (i == share - 1 ? 20 : 30) * SECOND)
                    .append("|1234567890123456|0|" + (share + (odd == 2 && i == 0 ? 1 : 0)) + "|" + slot + "|them|x");
        }
        return lines.toString();
    }

    private void makeLast() {
        int dice = random.nextInt(4);
        if (dice == 3) {
            redis.set(keys[1], Long.toString(now - 2_000), SetArgs.Builder.px(172_810_000));
        } else if (dice > 0) {
            redis.set(keys[1], Long.toString(dice == 1 ? 1234567890123456L : 8_000_000_000_000_000L));
        }
    }

    private void makeQueue() {
        for (int i = random.nextInt(4); i > 0; i--) {
            deaf |= join((random.nextInt(3) == 0 ? "deaf:" : "heard:") + (random.nextInt(2) + i));
        }
        redis.pexpire(keys[2], brief ? 8_000 : 26_000);
    }

    private boolean join(String claim) {
        if (!QueueEntries.claims(redis, keys[2]).contains(claim)) {
            int dice = random.nextInt(6);
            // Dead, alive and not heard of for long, heard of in this second, just heard of, or from the future.
            long asked =
                    now - (dice < 2 ? 50_000 : dice == 2 ? 9_000 : dice == 3 ? 600 : dice == 4 ? 0 : -5_000) * 1000L;
            String aliveFor = new String[] {"12500", "00900", "12000"}[random.nextInt(brief ? 2 : 3)];
            redis.rpush(
                    keys[2],
                    asked + "|1234567890123456|" + aliveFor + "|" + STAMP + "|" + claim + "|6000|"
                            + SPARES[random.nextInt(SPARES.length)] + "|" + side + ":" + claim.split(":")[0]
                            + "|owner|x");
        }
        return claim.startsWith("deaf");
    }

    private static String readWhole(String... rest) {
        return read("lock.lua", "holders.lua", "hand-over.lua") + read(rest);
    }

    private static String read(String... resources) {
        StringBuilder text = new StringBuilder();
        for (String resource : resources) {
            text.append(Script.read(resource)).append('\n');
        }
        return text.toString();
    }

    private String ask(boolean shortCuts) {
        String claim = "heard:" + (random.nextBoolean() ? 1 : 1 + random.nextInt(3));
        String begins = "leasehold|1|" + claim + "|";
        String spare = random.nextBoolean() ? "0" : "3";
        String toTell = (random.nextInt(4) == 0 ? "0|" : "1|") + side + ":|lock|s";
        String waits = random.nextInt(3) + "|";
        return switch (random.nextInt(10)) {
            case 8, 9 -> {
                String share = random.nextBoolean() ? "00" : "0" + (2 + random.nextInt(2));
                yield eval(
                        shortCuts ? Script.SHARED_CLAIM.text() : readWhole("find.lua", "stand.lua", "claim.lua"),
                        begins,
                        "me|x",
                        "30000",
                        share,
                        waits + "0|-1|" + toTell,
                        "12000|" + STAMP + "|" + claim + "|6000|" + share + "|" + side + ":heard|me|x");
            }
            case 0 ->
                eval(
                        shortCuts ? Script.CLAIM.text() : readWhole("find.lua", "stand.lua", "claim.lua"),
                        begins,
                        "me|x",
                        "30000",
                        spare,
                        waits + (random.nextInt(4) == 0 ? "1|" : "0|") + (random.nextInt(3) - 1) + "|" + toTell,
                        "12000|" + STAMP + "|" + claim + "|6000|" + spare + "|" + side + ":heard|me|x");
            case 1, 2 ->
                eval(
                        shortCuts ? Script.RELEASE.text() : RELEASE_BEGINS + readWhole("release.lua"),
                        begins + "1234567890123456|",
                        random.nextInt(5) == 0 ? "20000" : toTell);
            case 3 ->
                eval(
                        shortCuts ? Script.WITHDRAW.text() : readWhole("withdraw.lua"),
                        random.nextBoolean() ? new String[] {claim, toTell} : new String[] {claim, toTell, "1"});
            default -> vote(shortCuts, spare, toTell);
        };
    }

    private void makeMarker() {
        String made = switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> marker;
            case 4 -> marker.replaceFirst("-[0-9a-f]{4}", "-0000");
            // A master never has the history of the marker and another run: MasterIdentityTest.
            case 5 -> marker.replaceFirst("[0-9a-f]{4}-[0-9a-f]{4}", "0000-0000");
            case 6 -> since(now - 30 * SECOND);
            case 7 -> since(now + 50 * SECOND);
            default -> since(now - 100 * SECOND);
        };
        int dice = random.nextInt(12);
        if (dice > 0) {
            redis.set(keys[3], dice == 1 ? made.replace("60000", "50000") : made);
        }
    }

    /** Asks a node whose marker may be as the client saw it, or another's, or too young, or gone. */
    private String vote(boolean shortCuts, String spare, String toTell) {
        makeMarker();
        Ballot ballot = new Ballot(
                "lock",
                new ClaimId("heard", random.nextBoolean() ? 1 : 1 + random.nextInt(3)),
                false,
                now + PROPOSALS[random.nextInt(PROPOSALS.length)] * SECOND,
                Integer.parseInt(spare),
                Duration.ofSeconds(30),
                Ballot.Kind.values()[random.nextInt(3)]);
        return eval(
                shortCuts ? Script.VOTE.text() : readWhole("find.lua", "stand.lua", "marker.lua", "vote.lua"),
                EncodedArgsTest.arguments(List.of(new BallotEncoder("me|x", RULES).of(ballot, now, toTell))));
    }

    /** The history before it is of hexadecimal digits, sixteen of which may be decimal. */
    private String since(long micros) {
        return marker.replaceFirst("\\|\\d{16}\\|", "|" + micros + "|");
    }

    private String eval(String script, String... args) {
        String asked = String.join(" ", args);
        story.add(asked);
        try {
            List<Object> answer = redis.eval(script, ScriptOutputType.MULTI, keys, args);
            return asked + "\n" + answer;
        } catch (RedisCommandExecutionException e) {
            return asked + "\n" + e.getMessage().replaceAll("script: .*", "").replaceAll("user_script:\\d+", "line");
        }
    }

    String story() {
        return story + " " + (shared ? "shared" : "");
    }
}
