package dev.leasehold.redis.connection;

import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

/** None of several servers is a master that can be used just now. What one of them has refused is only its cause. */
final class NoMasterException extends RedisException {

    private static final long serialVersionUID = 1;

    NoMasterException(String each, @Nullable Throwable refusal) {
        super(each, refusal);
    }
}
