package dev.leasehold.redis.connection;

import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

/** None of several servers is a master that can be used just now. The cause is the refusal of one of them, if there is one. */
final class NoMasterException extends RedisException {

    private static final long serialVersionUID = 1;

    NoMasterException(String each, @Nullable Throwable refusal) {
        super(each, refusal);
    }
}
