package dev.leasehold.redis;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in docs/redis.md compiles. */
class RedisPageTest {

    @Test
    void itsCodeCompiles(@TempDir Path directory) throws IOException {
        Pages.compile("docs/redis.md", """
                import dev.leasehold.*;
                import dev.leasehold.redis.*;
                import io.lettuce.core.*;
                import io.lettuce.core.api.*;
                import io.lettuce.core.api.sync.*;
                static Leasehold leasehold;
                static DistributedLock lock;
                static StatefulRedisConnection<String, String> connection;
                static RedisCommands<String, String> redis;
                """, directory);
    }
}
