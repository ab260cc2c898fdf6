package dev.leasehold.redis.node;

import dev.leasehold.internal.Causes;
import dev.leasehold.redis.connection.RedisFailures;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A redirect is a cluster node's word that another has the slot.
 *
 * @param forGood false while the slot is on its way: then the other is to be asked this once, with ASKING before
 */
record Redirect(boolean forGood, SlotMap.Address to) {

    private static final Pattern SAID = Pattern.compile("(MOVED|ASK) \\d+ (.*):(\\d+)");

    /** Reads it out of a failure; null if that is not the reason. */
    static @Nullable Redirect in(Throwable failure, SlotMap.Address asked) {
        if (Causes.of(failure).getCause() instanceof RedisCommandExecutionException error
                && error.getMessage() != null) {
            Matcher said = SAID.matcher(error.getMessage());
            if (said.matches()) {
                String host = said.group(2).isEmpty() ? asked.host() : said.group(2);
                return new Redirect(
                        said.group(1).equals("MOVED"), new SlotMap.Address(host, Integer.parseInt(said.group(3))));
            }
        }
        return null;
    }

    /** Returns whether a slot is being moved, so that its keys are found one at a time only. */
    static boolean isHalfway(Throwable failure) {
        return Causes.of(failure).getCause() instanceof RedisCommandExecutionException error
                && RedisFailures.code(error).equals("TRYAGAIN");
    }
}
