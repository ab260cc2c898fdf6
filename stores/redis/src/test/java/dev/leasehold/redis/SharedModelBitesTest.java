package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.BrokenScript;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.SharedModel;
import dev.leasehold.testtools.Started;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule for several holders is broken once in the scripts, and each time {@link SharedModel} has to find it. */
@Tag("slow")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class SharedModelBitesTest {

    private static final int MOST_RUNS = 120;

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    private enum Guard {
        NOBODY_OVERTAKES_WHO_DOES_NOT_FIT(
                "elseif not fits(to.holders, next.share) then\n      return false",
                "elseif not fits(to.holders, next.share) then\n      return fits(to.holders, to.share or 1)"),
        UNTIL_THE_FIRST_THAT_DOES_NOT_FIT(
                "holder, quorum and (record or '') or nil, now)",
                "holder, quorum and (record or '') or nil, now)\n        if true then return false end"),
        ITS_OWN_SHARE("#holders.all < share and ", ""),
        THE_SMALLEST_SHARE_OF_ALL(" and #holders.all < holders.least", ""),
        THE_EXPIRED_ARE_GONE("if ends > now then\n      holders.all", "if true then\n      holders.all"),
        THE_SMALLEST_FREE_SLOT("taken[tonumber(holder.slot)] = true", "taken[0] = true"),
        THE_LEAST_OF_THE_LIVING("holders.stored, holders.least = false, math.huge", "holders.stored = false"),
        THE_KEY_ENDS_WITH_THE_LAST_TO_COME("if redis.call('PTTL', KEYS[1]) < tonumber(lasts) then", "if true then"),
        THE_KEY_ENDS_WITH_THE_LAST("last = holder.ends > last and holder.ends or last", "last = holder.ends"),
        A_RENEWAL_KEEPS_THE_KEY("call('PEXPIRE', KEYS[i], math.max(call('PTTL', KEYS[i]), duration + 1))", ""),
        A_REPEATED_CLAIM_KEEPS_THE_KEY(
                "redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lasts)))", ""),
        A_REPEATED_CLAIM_LASTS("if ends > holder.ends then", "if false then"),
        THE_SHARE_OF_THE_FIRST_ARRIVAL("if kept and shareIn(kept)", "if false and shareIn(kept)"),
        A_GRANT_TO_THE_ASKER_HAS_THE_SHARE_OF_ITS_PLACE("share = queued and waiter(queued).share or share", ""),
        THE_ASKERS_TOKEN_IS_ABOVE_THOSE_LET_IN_BEFORE(
                "local answer = nextToken(lastOf(redis.call('GET', KEYS[2])), now)",
                "local answer = nextToken(nil, now)"),
        A_WITHDRAWN_WAITER_LETS_OTHERS_IN(
                "  to.now, to.holders = now, holders\n  handOver(to)\n  return (holder or found == 1)",
                "  if holder then to.now, to.holders = now, holders\n  handOver(to) end\n  return (holder or found == 1)"),
        A_RELEASE_LETS_OTHERS_IN(
                "    to.now, to.holders = now, holders\n    handOver(to)\n  end\n  return holder",
                "  end\n  return holder"),
        A_BREAK_LETS_OTHERS_IN("      to.now, to.holders = now, holders\n      handOver(to)", ""),
        A_DOWNGRADE_LETS_READERS_IN("handOver(to)\nreturn tonumber(left)", "return tonumber(left)"),
        A_DOWNGRADE_LOOSENS("spare = spare, share = math.huge", "spare = spare, share = 1"),
        A_DOWNGRADE_RENEWS("math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2]))", "redis.call('PTTL', KEYS[1])"),
        WHAT_IS_KEPT_HAS_NO_CLAIM(
                "holder.claim, holder.owner, holder.ends, holder.line = '', '', now + ARGV[2] * 1000, nil",
                "holder.ends, holder.line = now + ARGV[2] * 1000, nil"),
        WHAT_IS_KEPT_IS_WRITTEN(
                "holder.claim, holder.owner, holder.ends, holder.line = '', '', now + ARGV[2] * 1000, nil",
                "holder.claim, holder.owner, holder.ends = '', '', now + ARGV[2] * 1000"),
        WHAT_IS_KEPT_COUNTS("if holder and keeps then", "if false then"),
        THE_LAST_TOKEN_IS_KEPT(
                "local function writeLast(record)", "local function writeLast(record)\n  if true then return end"),
        A_SHARED_WAITER_IS_NO_MUTEX(" or #spare > 1 and sub(spare, 1, 1) == '0'", ""),
        A_SHORT_CUT_COUNTS_THE_LIVING("living < least and (asked == 0 or living < asked)", "true"),
        A_SHORT_CUT_LEAVES_THE_DEAD_OUT("#ends ~= 16 or ends <= now then", "#ends ~= 16 then"),
        A_SHORT_CUT_OVERTAKES_NOBODY("if isRead and not first and living < least", "if isRead and living < least"),
        A_SHORT_CUT_ASKS_FOR_ITSELF_FIRST("and not (value and find(value, '\\n' .. sub(ARGV[1], 13), 1, true))", ""),
        A_SHORT_CUT_HANDS_OVER_TO_AN_EQUAL("'0' .. share ~= spare then", "false then"),
        A_SHORT_CUT_FINDS_THE_FREE_SLOT("taken[slot] = true", ""),
        A_SHORT_CUT_KEEPS_THE_KEY("if call('PTTL', KEYS[1]) < ARGV[3] + 1 then", "if false then"),
        A_SHORT_CUT_ENDS_ITS_OWN_ALONE("(next and sub(value, next) or '')\n    local left", "''\n    local left"),
        BUSY_TELLS_WHEN_THE_ASKER_WOULD_FIT("most = math.min(most, holder.share)", ""),
        A_BREAK_CONCERNS_ONE("tonumber(ARGV[1]) <= holder.token + holder.spare", "true");

        final String text;
        final String broken;

        Guard(String text, String broken) {
            this.text = text;
            this.broken = broken;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Guard.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "A_GRANT_TO_THE_ASKER_HAS_THE_SHARE_OF_ITS_PLACE",
                "A_WITHDRAWN_WAITER_LETS_OTHERS_IN",
                "A_DOWNGRADE_LETS_READERS_IN",
                "A_DOWNGRADE_LOOSENS",
                "A_DOWNGRADE_RENEWS",
                "THE_ASKERS_TOKEN_IS_ABOVE_THOSE_LET_IN_BEFORE",
                "A_SHARED_WAITER_IS_NO_MUTEX",
                "A_SHORT_CUT_LEAVES_THE_DEAD_OUT"
            })
    void findsWhatIsBroken(Guard guard) {
        requireThatItIsFound(guard);
    }

    /**
     * These faults show in few of the runs, and not in the same ones each time, since the server's time is real.
     * SharedScriptsTest shows each of them at once.
     */
    @ParameterizedTest
    @EnumSource(
            value = Guard.class,
            names = {
                "A_GRANT_TO_THE_ASKER_HAS_THE_SHARE_OF_ITS_PLACE",
                "A_WITHDRAWN_WAITER_LETS_OTHERS_IN",
                "A_DOWNGRADE_LETS_READERS_IN",
                "A_DOWNGRADE_LOOSENS",
                "A_DOWNGRADE_RENEWS",
                "THE_ASKERS_TOKEN_IS_ABOVE_THOSE_LET_IN_BEFORE",
                "A_SHARED_WAITER_IS_NO_MUTEX",
                "A_SHORT_CUT_LEAVES_THE_DEAD_OUT"
            })
    @Tag("extended")
    void findsWhatIsSeldomSeen(Guard guard) {
        requireThatItIsFound(guard);
    }

    private static void requireThatItIsFound(Guard guard) {
        int found = 0;
        BrokenScript broken = new BrokenScript(guard.text, guard.broken);
        try {
            for (int seed = 1; seed <= MOST_RUNS && found == 0; seed++) {
                found = shows(seed) ? seed : 0;
            }
        } finally {
            broken.close();
        }
        assertThat(found).as("the first run that shows it").isPositive();
    }

    private static boolean shows(int seed) {
        try {
            RedisSubject.play(seed, REDIS.get(), TIME.get());
            return false;
        } catch (AssertionError | Exception e) {
            return true;
        }
    }
}
