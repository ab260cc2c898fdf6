package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.servers.PostgresServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The lock among the advices of Spring: outside of a transaction, inside of retries, limits and a thread's change. On PostgreSQL. */
@Tag("slow")
class FourAdvicesTest {

    static class Bank {

        static final List<String> SEEN = new CopyOnWriteArrayList<>();
        static final Set<Long> TOKENS = ConcurrentHashMap.newKeySet();
        static final AtomicInteger AT_ONCE = new AtomicInteger();
        static volatile Lease lastLease;
        static final AtomicInteger TRIES = new AtomicInteger();

        private final JdbcTemplate jdbc;
        private final Leasehold locks;

        Bank(DataSource dataSource, Leasehold locks) {
            this.jdbc = new JdbcTemplate(dataSource);
            this.locks = locks;
        }

        @Async
        @Retryable(delay = 1, maxRetries = 5)
        @ConcurrencyLimit(4)
        @Locked(name = "account:#{#id}", maxWait = "1m")
        @Transactional
        public CompletableFuture<Long> add(int id, @Nullable Lease lease) {
            SEEN.add(Thread.currentThread().getName());
            TOKENS.add(lease.token());
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            assertThat(AT_ONCE.incrementAndGet()).isEqualTo(1);
            try {
                Long before = jdbc.queryForObject("SELECT balance FROM account WHERE id = ?", Long.class, id);
                jdbc.update("UPDATE account SET balance = ? WHERE id = ?", before + 1, id);
                if (TRIES.incrementAndGet() % 3 == 0) {
                    throw new IllegalStateException("to be tried again");
                }
                return CompletableFuture.completedFuture(before + 1);
            } finally {
                AT_ONCE.decrementAndGet();
            }
        }

        @Locked("account:#{#id}")
        @Transactional
        public void noteHolderAtCommit(int id) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    SEEN.add("held after commit: " + isHeld(locks, "account:" + id));
                }
            });
        }

        @Locked("account:#{#id}")
        public void plain(int id) {
            SEEN.add("ran");
        }

        @Locked(name = "account:#{#id}", transaction = OuterTransaction.HOLD_UNTIL_COMPLETION, maxWait = "1m")
        public long holding(int id, @Nullable Lease lease) {
            jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = ?", id);
            lastLease = lease;
            return lease.token();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLeasehold
    @EnableAsync
    @EnableTransactionManagement
    @EnableResilientMethods
    static class Config {

        @Bean
        HikariDataSource dataSource() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(server.url());
            pool.setMaximumPoolSize(12);
            return pool;
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Leasehold leasehold(DataSource dataSource) {
            return Leasehold.builder()
                    .store(JdbcStore.using(dataSource).withConnections(3))
                    .build();
        }

        @Bean
        SimpleAsyncTaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor("async-");
        }
    }

    private static PostgresServer server;
    private static AnnotationConfigApplicationContext context;
    private static Bank bank;
    private static JdbcTemplate jdbc;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
        context = new AnnotationConfigApplicationContext(Config.class, Bank.class);
        bank = context.getBean(Bank.class);
        jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        jdbc.execute("CREATE TABLE account (id INT PRIMARY KEY, balance BIGINT NOT NULL)");
    }

    @AfterAll
    static void stop() {
        context.close();
        server.close();
    }

    @BeforeEach
    void reset() {
        Bank.SEEN.clear();
        Bank.TOKENS.clear();
        jdbc.update("DELETE FROM account");
        jdbc.update("INSERT INTO account VALUES (1, 0)");
    }

    private static long balance() {
        return jdbc.queryForObject("SELECT balance FROM account WHERE id = 1", Long.class);
    }

    private static boolean isHeld(Leasehold locks, String name) {
        try {
            return locks.info(name).map(found -> found.holder() != null).orElse(false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void allFourTogetherLoseNoUpdate() {
        int before = Bank.TRIES.get();
        List<CompletableFuture<Long>> calls =
                IntStream.range(0, 30).mapToObj(i -> bank.add(1, null)).toList();
        calls.forEach(CompletableFuture::join);
        assertThat(balance()).isEqualTo(30);
        int tries = Bank.TRIES.get() - before;
        assertThat(tries).as("some were tried again").isGreaterThan(30);
        assertThat(Bank.TOKENS).as("each try has a lease of its own").hasSize(tries);
        assertThat(Bank.SEEN).allMatch(thread -> thread.startsWith("async-"));
    }

    @Test
    void theOrderOfTheAdvicesIsThis() {
        List<String> order = java.util.Arrays.stream(((Advised) bank).getAdvisors())
                .map(Advisor::getAdvice)
                .map(advice -> advice.getClass().getSimpleName())
                .filter(name -> !name.startsWith("Expose"))
                .toList();
        assertThat(order.indexOf("AnnotationAsyncExecutionInterceptor")).isZero();
        assertThat(order.subList(1, 3)).allMatch(name -> name.contains("Retry") || name.contains("ConcurrencyLimit"));
        assertThat(order.indexOf("LockedInterceptor")).isLessThan(order.indexOf("TransactionInterceptor"));
        assertThat(order.indexOf("LockedInterceptor")).isEqualTo(3);
    }

    @Test
    void theLockIsGivenBackAfterTheCommit() {
        bank.noteHolderAtCommit(1);
        assertThat(Bank.SEEN).containsExactly("held after commit: true");
        assertThat(isHeld(context.getBean(Leasehold.class), "account:1")).isFalse();
    }

    @Test
    void aRunningTransactionIsRefused() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> bank.plain(1)))
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("account:1")
                .hasMessageContaining("HOLD_UNTIL_COMPLETION");
        assertThat(Bank.SEEN).isEmpty();
        bank.plain(1);
        assertThat(Bank.SEEN).containsExactly("ran");
    }

    @Test
    void aHoldLastsUntilTheCommitAndIsEnteredAgain() {
        Leasehold locks = context.getBean(Leasehold.class);
        transaction.executeWithoutResult(status -> {
            long token = bank.holding(1, null);
            assertThat(bank.holding(1, null)).as("the same lease").isEqualTo(token);
            assertThat(isHeld(locks, "account:1")).as("after the method").isTrue();
        });
        assertThat(isHeld(locks, "account:1")).isFalse();
        assertThat(balance()).isEqualTo(2);
        assertThat(bank.holding(1, null)).as("without a transaction").isPositive();
        assertThat(isHeld(locks, "account:1")).isFalse();
    }

    @Test
    void aLostLeaseKeepsTheTransactionFromItsCommit() {
        Leasehold locks = context.getBean(Leasehold.class);
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    long token = bank.holding(1, null);
                    breakLock(locks, token);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(balance()).isZero();
    }

    private static void breakLock(Leasehold locks, long token) {
        try {
            assertThat(locks.breakLock("account:1", token)).isTrue();
            await().until(() -> !Bank.lastLease.isValid());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aRollbackGivesTheLockBack() {
        transaction.executeWithoutResult(status -> {
            bank.holding(1, null);
            status.setRollbackOnly();
        });
        assertThat(balance()).isZero();
        assertThat(isHeld(context.getBean(Leasehold.class), "account:1")).isFalse();
    }

    @Test
    void anAsyncCallRunsOnItsOwnThread()
            throws ExecutionException, InterruptedException, java.util.concurrent.TimeoutException {
        bank.add(1, null).get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(Bank.SEEN).isNotEmpty().allMatch(thread -> thread.startsWith("async-"));
    }
}
