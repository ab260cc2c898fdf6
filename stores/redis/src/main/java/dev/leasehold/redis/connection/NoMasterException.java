package dev.leasehold.redis.connection;

import io.lettuce.core.RedisException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * None of several servers is a master that can be used just now. The cause is the refusal of one of them, if there is one, or
 * else why one could not be reached, if all have failed. What else they have failed with is suppressed.
 */
final class NoMasterException extends RedisException {

    private static final long serialVersionUID = 1;

    NoMasterException(String each, @Nullable Throwable cause, List<Throwable> failures) {
        super(each, cause);
        for (Throwable failure : failures) {
            if (failure != cause) {
                addSuppressed(failure);
            }
        }
    }
}
