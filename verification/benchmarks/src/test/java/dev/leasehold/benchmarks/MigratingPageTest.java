package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.architecture.Pages;
import dev.leasehold.benchmarks.peer.Spring;
import dev.leasehold.servers.RedisProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * These tests show what docs/migrating.md says of other libraries: its code compiles, and the ways to cut over exclude both
 * ways.
 */
@Tag("slow")
class MigratingPageTest {

    private static RedisProcess redis;
    private static Spring spring;
    private static Leasehold shared;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        spring = new Spring(redis.uri());
        shared = Leasehold.connect(redis.uri() + "?leasehold.keys=plain");
    }

    @AfterAll
    static void stop() {
        shared.close();
        spring.close();
        redis.close();
    }

    @Test
    void itsCodeCompiles(@TempDir Path directory) throws IOException {
        Pages.compile("docs/migrating.md", """
                import dev.leasehold.*;
                import dev.leasehold.zookeeper.ZooKeeperStore;
                import java.time.*;
                import java.util.concurrent.TimeUnit;
                import java.util.concurrent.locks.Lock;
                import net.javacrumbs.shedlock.core.*;
                import org.apache.curator.framework.CuratorFramework;
                import org.apache.curator.framework.recipes.locks.InterProcessMutex;
                import org.redisson.api.RLock;
                import org.redisson.api.RedissonClient;
                import org.springframework.integration.support.locks.LockRegistry;
                static void send() {}
                static void report() {}
                """, directory);
    }

    @Test
    void shedLockAndLeaseholdShareAKey() throws InterruptedException {
        RedisLockProvider provider = new RedisLockProvider(spring.connections());
        DistributedLock ours = shared.lock("job-lock:default:report");
        SimpleLock theirs = provider.lock(shedLock(Duration.ZERO)).orElseThrow();
        assertThat(ours.tryAcquire()).isEmpty();
        theirs.unlock();
        try (Lease lease = ours.acquire()) {
            assertThat(provider.lock(shedLock(Duration.ZERO))).isEmpty();
            lease.ensureValid();
        }
        provider.lock(shedLock(Duration.ofMinutes(5))).orElseThrow().unlock();
        assertThat(ours.tryAcquire()).as("lockAtLeastFor is kept").isEmpty();
    }

    private static LockConfiguration shedLock(Duration atLeast) {
        return new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(10), atLeast);
    }

    @Test
    void springIntegrationAndLeaseholdShareAKey() throws InterruptedException {
        RedisLockRegistry registry = new RedisLockRegistry(spring.connections(), "shop");
        Lock theirs = registry.obtain("invoice:42");
        DistributedLock ours = shared.lock("shop:invoice:42");
        theirs.lock();
        assertThat(ours.tryAcquire()).isEmpty();
        theirs.unlock();
        try (Lease lease = ours.acquire()) {
            assertThat(theirs.tryLock()).isFalse();
            lease.ensureValid();
        }
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
        registry.destroy();
    }

    @Test
    void aLockOfRedissonIsRefusedAndLeftAlone() {
        Config config = new Config();
        config.useSingleServer().setAddress(redis.uri());
        RedissonClient redisson = Redisson.create(config);
        try {
            Lock theirs = redisson.getLock("invoice:42");
            theirs.lock();
            assertThatThrownBy(() -> shared.lock("invoice:42").tryAcquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("invoice:42");
            theirs.unlock();
        } finally {
            redisson.shutdown();
        }
    }

    @Test
    void bothLocksExcludeThoseThatTakeEither() throws InterruptedException {
        RedisLockRegistry registry = new RedisLockRegistry(spring.connections(), "both");
        Lock old = registry.obtain("invoice:42");
        try (Leasehold leasehold = Leasehold.connect(redis.uri())) {
            DistributedLock lock = leasehold.lock("invoice:42");
            old.lock();
            try {
                lock.run(lease -> {
                    assertThat(lock.tryAcquire()).isEmpty();
                    assertThat(registered("invoice:42")).isFalse();
                });
            } finally {
                old.unlock();
            }
        }
        registry.destroy();
    }

    private static boolean registered(String key) {
        RedisLockRegistry another = new RedisLockRegistry(spring.connections(), "both");
        try {
            return another.obtain(key).tryLock();
        } finally {
            another.destroy();
        }
    }
}
