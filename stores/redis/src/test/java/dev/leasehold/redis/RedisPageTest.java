package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in docs/redis.md compiles, and README's first program runs on Redis. */
@Tag("slow")
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

    @Test
    void theFirstProgramOfTheReadmeRunsOnRedis(@TempDir Path directory) throws Exception {
        Pages.compileClass("Shop", Pages.classIn("README.md", "Shop"), directory);
        try (RedisProcess redis = RedisProcess.start().warm();
                RedisClient client = RedisClient.create(redis.uri());
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            loader.loadClass("Shop").getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {redis.uri()});
            assertThat(client.connect().sync().keys("*")).containsExactly("leasehold:{invoice:42}:token");
        }
    }
}
