package dev.leasehold.redis;

/** A server clock tells a script what time it is: put before its text. */
public final class ServerClock {

    private ServerClock() {}

    public static String at(long seconds, int micros) {
        return """
                local redis = {pcall = redis.pcall, set_repl = redis.set_repl,
                  REPL_NONE = redis.REPL_NONE, REPL_ALL = redis.REPL_ALL,
                  call = function(name, ...)
                    if name == 'TIME' then return {'%d', '%d'} end
                    return redis.call(name, ...)
                  end}
                """.formatted(seconds, micros);
    }
}
