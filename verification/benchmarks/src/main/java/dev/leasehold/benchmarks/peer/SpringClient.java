package dev.leasehold.benchmarks.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.benchmarks.server.StoreKind;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A Spring client uses the lock registries of Spring Integration. A waiter asks again every 100 ms; on Redis it can be woken
 * by a message instead.
 */
final class SpringClient implements LockClient {

    private final Function<String, Lock> registry;
    private final AutoCloseable end;

    private SpringClient(Function<String, Lock> registry, AutoCloseable end) {
        this.registry = registry;
        this.end = end;
    }

    static LockClient open(Target target, boolean byMessages) throws Exception {
        if (target.store() == StoreKind.REDIS) {
            Spring spring = new Spring(target.uri());
            RedisLockRegistry locks = new RedisLockRegistry(
                    spring.connections(), "spring", target.lease().toMillis());
            locks.setRedisLockType(byMessages ? RedisLockType.PUB_SUB_LOCK : RedisLockType.SPIN_LOCK);
            return new SpringClient(locks::obtain, () -> {
                locks.destroy();
                spring.close();
            });
        }
        HikariDataSource pool = SqlUris.pool(target);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        SqlTables.create(
                pool,
                "CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY char(36), REGION varchar(100), CLIENT_ID char(36),"
                        + " CREATED_DATE timestamp(6) NULL, EXPIRED_AFTER timestamp(6) NULL,"
                        + " PRIMARY KEY (LOCK_KEY, REGION))");
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.setCheckDatabaseOnStart(false);
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry locks = new JdbcLockRegistry(repository, target.lease());
        return new SpringClient(locks::obtain, pool);
    }

    @Override
    public LockHandle lock(String name) {
        return new JucHandle(registry.apply(name));
    }

    @Override
    public void close() throws Exception {
        end.close();
    }
}
