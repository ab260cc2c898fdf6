package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** These tests show what locked and leader-only methods do that are called inside a transaction. */
class OuterTransactionTest {

    static class Bank {

        static final List<String> SEEN = new CopyOnWriteArrayList<>();

        @Locked(name = "account", transaction = OuterTransaction.HOLD_UNTIL_COMPLETION, maxWait = "0s")
        public void hold(Body body, @Nullable Lease lease) throws Exception {
            SEEN.add("held");
            body.run(lease);
        }

        @Locked(name = "mono", maxWait = "0s")
        public Mono<String> mono() {
            return Mono.fromCallable(() -> {
                SEEN.add("mono");
                return "done";
            });
        }

        @Locked(name = "stage", maxWait = "0s")
        public CompletableFuture<String> stage() {
            SEEN.add("stage");
            return CompletableFuture.completedFuture("done");
        }

        @Locked(name = "new", maxWait = "0s")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String inItsOwn() {
            return TransactionSynchronizationManager.getCurrentTransactionName();
        }

        @Locked(name = "suspended", maxWait = "0s")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public boolean inNone() {
            return !TransactionSynchronizationManager.isActualTransactionActive();
        }

        @Locked(name = "joining", maxWait = "0s")
        @Transactional
        public void joining() {
            SEEN.add("joined");
        }
    }

    static class Leader {

        @LeaderOnly(value = "bank", onFollower = OnBusy.THROW)
        @Transactional
        public void leadInATransaction(Runnable body) {
            body.run();
        }

        @LeaderOnly(value = "bank", onFollower = OnBusy.THROW)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void leadInItsOwn() {
            Bank.SEEN.add("led");
        }
    }

    interface Body {
        void run(Lease lease) throws Exception;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLeasehold
    @EnableTransactionManagement
    static class Config {

        @Bean
        static JdbcTransactionManager transactionManager() {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setUrl("jdbc:h2:mem:outer");
            return new JdbcTransactionManager(h2);
        }

        @Bean
        static Leasehold leasehold() {
            return Leasehold.connect("memory:");
        }
    }

    private static AnnotationConfigApplicationContext context;
    private static Bank bank;
    private static Leader leader;
    private static Leasehold locks;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        context = new AnnotationConfigApplicationContext(Config.class, Bank.class, Leader.class);
        bank = context.getBean(Bank.class);
        leader = context.getBean(Leader.class);
        locks = context.getBean(Leasehold.class);
        transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        transaction.setName("outer");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void reset() {
        Bank.SEEN.clear();
    }

    private static void breakLock(Lease lease) throws InterruptedException {
        assertThat(locks.breakLock(lease.name(), lease.token())).isTrue();
    }

    private static void inTransaction(Body body) {
        transaction.executeWithoutResult(status -> {
            try {
                body.run(null);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void theMessageNamesTheTransactionIfItHasAName() {
        assertThatThrownBy(() -> inTransaction(none -> bank.joining()))
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("inside the running transaction 'outer': it would");
        TransactionTemplate nameless = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        assertThatThrownBy(() -> nameless.executeWithoutResult(status -> bank.joining()))
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("inside the running transaction: it would");
        assertThatThrownBy(() -> nameless.executeWithoutResult(status -> leader.leadInATransaction(() -> {})))
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("inside the running transaction: the next");
        assertThat(Bank.SEEN).isEmpty();
    }

    /** It went on as if the lock were held. */
    @Test
    void aLostHoldIsNotEnteredAgain() {
        assertThatThrownBy(() -> inTransaction(none -> {
                    Lease[] held = new Lease[1];
                    bank.hold(lease -> held[0] = lease, null);
                    breakLock(held[0]);
                    await().until(() -> !held[0].isValid());
                    bank.hold(lease -> Bank.SEEN.add("entered again"), null);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Bank.SEEN).containsExactly("held");
    }

    @Test
    void aLossInterruptsTheBodyOfAHold() {
        assertThatThrownBy(() -> inTransaction(none -> bank.hold(
                        lease -> {
                            breakLock(lease);
                            new CountDownLatch(1).await(A_MINUTE, TimeUnit.SECONDS);
                            Bank.SEEN.add("not interrupted");
                        },
                        null)))
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Bank.SEEN).containsExactly("held");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aLossOfAHoldIsNotHiddenByAnException() {
        assertThatThrownBy(() -> inTransaction(none -> bank.hold(
                        lease -> {
                            breakLock(lease);
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException("wrapped", e);
                            }
                        },
                        null)))
                .isInstanceOf(LeaseLostException.class)
                .cause()
                .hasMessage("wrapped");
    }

    /** It came out at the commit only, and the rest of the transaction ran without the lock. */
    @Test
    void aHoldThatIsLostMeanwhileFailsTheCall() {
        inTransaction(
                none -> {
                    assertThatThrownBy(() -> bank.hold(
                                    lease -> {
                                        breakLock(lease);
                                        await().until(() -> !lease.isValid());
                                        Thread.interrupted();
                                    },
                                    null))
                            .isInstanceOf(LeaseLostException.class);
                    throw new Rollback();
                },
                Rollback.class);
    }

    /** Does something after all that could keep the transaction from its commit, and notes what has become of it. */
    private static final class AtCommit implements TransactionSynchronization {

        private final Body body;
        private int status = STATUS_UNKNOWN;

        AtCommit(Body body) {
            this.body = body;
        }

        @Override
        public void beforeCompletion() {
            try {
                body.run(null);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void afterCompletion(int completed) {
            status = completed;
        }
    }

    @Test
    @DisplayName("A hold that is lost after the method rolls the transaction back")
    void aHoldLostAfterTheMethodRollsBack() {
        AtCommit end = new AtCommit(none -> {});
        assertThatThrownBy(() -> inTransaction(none -> {
                    TransactionSynchronizationManager.registerSynchronization(end);
                    Lease[] held = new Lease[1];
                    bank.hold(lease -> held[0] = lease, null);
                    breakLock(held[0]);
                    await().until(() -> !held[0].isValid());
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("account");
        assertThat(end.status).isEqualTo(TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    /** The caller was not told, and the transaction has committed: a log entry was all. */
    @Test
    void aHoldThatIsLostDuringTheCommitFailsTheCall() {
        Lease[] held = new Lease[1];
        AtCommit end = new AtCommit(none -> {
            breakLock(held[0]);
            await().until(() -> !held[0].isValid());
        });
        assertThatThrownBy(() -> inTransaction(none -> {
                    TransactionSynchronizationManager.registerSynchronization(end);
                    bank.hold(lease -> held[0] = lease, null);
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("has committed");
        assertThat(end.status).isEqualTo(TransactionSynchronization.STATUS_COMMITTED);
    }

    static final class Rollback extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void inTransaction(Body body, Class<? extends Exception> expected) {
        assertThatThrownBy(() -> inTransaction(body)).isInstanceOf(expected);
    }

    /** The lock was given back before the transaction committed. */
    @Test
    void aReactiveCallThatIsBlockedForIsRefused() {
        inTransaction(none -> assertThatThrownBy(() -> bank.mono().block())
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("'outer'"));
        inTransaction(none -> assertThatThrownBy(() ->
                        bank.mono().subscribeOn(Schedulers.boundedElastic()).block())
                .isInstanceOf(LockInsideTransactionException.class));
        Mono<String> before = bank.mono();
        inTransaction(none -> assertThatThrownBy(before::block).isInstanceOf(LockInsideTransactionException.class));
        assertThat(Bank.SEEN).isEmpty();
        assertThat(before.block()).isEqualTo("done");
    }

    /** The work of the stage is not part of the transaction, and may come after the transaction's end. */
    @Test
    void aStageInATransactionIsRefused() {
        inTransaction(none -> assertThatThrownBy(bank::stage)
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("'outer'"));
        assertThat(Bank.SEEN).isEmpty();
        assertThat(bank.stage().join()).isEqualTo("done");
    }

    @Test
    void aLeadersMethodInATransactionIsRefused() {
        await().until(() -> isLeading());
        inTransaction(none -> assertThatThrownBy(() -> leader.leadInATransaction(() -> Bank.SEEN.add("led")))
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("bank"));
        assertThat(Bank.SEEN).isEmpty();
        leader.leadInATransaction(() -> Bank.SEEN.add("led"));
        inTransaction(none -> leader.leadInItsOwn());
        assertThat(Bank.SEEN).containsExactly("led", "led");
    }

    /** The outer method is waited for until its transaction has committed. */
    @Test
    @DisplayName("A leader's method in a transaction of the leader's may call another")
    void aLeadersMethodMayCallAnotherOfItsTransaction() {
        await().until(() -> isLeading());
        leader.leadInATransaction(() -> leader.leadInATransaction(() -> Bank.SEEN.add("led")));
        assertThat(Bank.SEEN).containsExactly("led");
    }

    private static boolean isLeading() {
        return context.getBean(Elections.class).election("bank").isLeader();
    }

    /** It was refused, although its own transaction commits before the lock is given back. */
    @Test
    void aMethodWithATransactionOfItsOwnIsSafe() {
        inTransaction(none -> {
            assertThat(bank.inItsOwn()).endsWith("Bank.inItsOwn");
            assertThat(bank.inNone()).isTrue();
            assertThatThrownBy(bank::joining).isInstanceOf(LockInsideTransactionException.class);
        });
        assertThat(Bank.SEEN).isEmpty();
    }

    /** The transaction's advice lies outside of the lock there, and so the method's own transaction is the outer one. */
    @Test
    void aTransactionOfItsOwnThatLiesOutsideIsRefused() {
        try (AnnotationConfigApplicationContext other =
                new AnnotationConfigApplicationContext(TransactionOutside.class, Bank.class)) {
            assertThatThrownBy(() -> other.getBean(Bank.class).inItsOwn())
                    .isInstanceOf(LockInsideTransactionException.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLeasehold
    @EnableTransactionManagement(order = 0)
    static class TransactionOutside {

        @Bean
        static JdbcTransactionManager transactionManager() {
            return Config.transactionManager();
        }

        @Bean
        static Leasehold leasehold() {
            return Leasehold.connect("memory:");
        }
    }
}
