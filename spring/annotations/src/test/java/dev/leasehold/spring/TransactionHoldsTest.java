package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.spring.internal.RunningBodies;
import dev.leasehold.test.TestLeasehold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** These tests show how a transaction that holds a lock may end: late, elsewhere, twice, by a time-out, in part. */
class TransactionHoldsTest {

    interface Body {
        void run(Lease lease) throws Exception;
    }

    static class Bank {

        @Locked(name = "#{#name}", transaction = OuterTransaction.HOLD_UNTIL_COMPLETION, maxWait = "0s")
        public void hold(String name, Body body, @Nullable Lease lease) throws Exception {
            body.run(lease);
        }

        @Locked(name = "nested", maxWait = "0s")
        @Transactional(propagation = Propagation.NESTED)
        public void nested() {}
    }

    @EnableLeasehold
    @EnableTransactionManagement
    static class Enabled {}

    private final JdbcDataSource h2 = new JdbcDataSource();
    private final TestLeasehold locks = TestLeasehold.create();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private Bank bank;
    private TransactionTemplate transaction;
    private RunningBodies bodies;

    @BeforeEach
    void start() {
        h2.setUrl("jdbc:h2:mem:holds");
        context.registerBean(Leasehold.class, locks::leasehold, definition -> definition.setDestroyMethodName(""));
        context.registerBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(h2));
        context.register(Enabled.class, Bank.class);
        context.refresh();
        bank = context.getBean(Bank.class);
        bodies = context.getBean(RunningBodies.class);
        transaction = template();
    }

    @AfterEach
    void stop() {
        context.close();
        locks.close();
    }

    private TransactionTemplate template() {
        TransactionTemplate made = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        made.setName("outer");
        return made;
    }

    private static void in(TransactionTemplate transaction, Body body) {
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

    private static void onAnotherThread(Runnable task) throws InterruptedException {
        Thread thread = new Thread(task);
        thread.start();
        thread.join();
    }

    /** A transaction manager that ends what takes too long did so on its own thread, and the body went on without the lock. */
    @Test
    @DisplayName("A transaction that ends elsewhere does not free the lock under a body")
    void aTransactionThatEndsElsewhereKeepsABodysLock() {
        List<Boolean> held = new ArrayList<>();
        in(transaction, none -> {
            bank.hold(
                    "a",
                    lease -> {
                        List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();
                        onAnotherThread(() -> TransactionSynchronizationUtils.invokeAfterCompletion(
                                all, TransactionSynchronization.STATUS_UNKNOWN));
                        held.add(lease.isValid());
                    },
                    null);
            held.add(locks.isHeldHere("a"));
            assertThatThrownBy(() -> bank.hold("a", lease -> held.add(true), null))
                    .as("the hold that is over")
                    .isInstanceOf(LeaseLostException.class);
            TransactionSynchronizationManager.clearSynchronization();
            TransactionSynchronizationManager.initSynchronization();
        });
        assertThat(held).containsExactly(true, false);
        assertThat(bodies.count()).isZero();
    }

    @Test
    @DisplayName("A completion that comes twice does not free the next one's lock")
    void aCompletionToldTwiceDoesNotFreeTheNextLock() throws Exception {
        List<TransactionSynchronization> all = new ArrayList<>();
        in(transaction, none -> {
            bank.hold("a", lease -> {}, null);
            all.addAll(TransactionSynchronizationManager.getSynchronizations());
        });
        Lease next = locks.anotherClient().lock("a").tryAcquire().orElseThrow();
        TransactionSynchronizationUtils.invokeAfterCompletion(all, TransactionSynchronization.STATUS_COMMITTED);
        assertThat(next.isValid()).isTrue();
        assertThat(locks.anotherClient().lock("a").tryAcquire()).isEmpty();
    }

    private static TransactionSynchronization failing(String where) {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                fail("beforeCommit");
            }

            @Override
            public void beforeCompletion() {
                fail("beforeCompletion");
            }

            @Override
            public void afterCommit() {
                fail("afterCommit");
            }

            @Override
            public void afterCompletion(int status) {
                fail("afterCompletion");
            }

            private void fail(String here) {
                if (where.equals(here)) {
                    throw new IllegalStateException(where);
                }
            }
        };
    }

    @Test
    void othersThatFailAtTheEndDoNotKeepTheLock() {
        for (String where : List.of("beforeCommit", "beforeCompletion", "afterCommit", "afterCompletion")) {
            Body body = none -> {
                bank.hold("a", lease -> {}, null);
                TransactionSynchronizationManager.registerSynchronization(failing(where));
            };
            if (where.endsWith("Commit")) {
                assertThatThrownBy(() -> in(transaction, body)).hasMessage(where);
            } else {
                in(transaction, body); // Spring logs these.
            }
            assertThat(locks.isHeldHere("a")).as(where).isFalse();
            assertThat(bodies.count()).as(where).isZero();
        }
    }

    /** It said that synchronization is not active. */
    @Test
    void aTransactionThatIsCompletingCanHoldNothing() {
        List<Throwable> failures = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        in(
                transaction,
                none -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        try {
                            bank.hold("a", lease -> ran.incrementAndGet(), null);
                        } catch (Exception e) {
                            failures.add(e);
                        }
                    }
                }));
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        LockInsideTransactionException.class,
                        refused -> assertThat(refused)
                                .hasMessageContaining("completes")
                                .hasMessageContaining("'outer'"));
        assertThat(ran).hasValue(0);
        assertThat(locks.isHeldHere("a")).isFalse();
    }

    @Test
    @DisplayName("A hold that is taken after the commit ends with the transaction")
    void aHoldTakenAfterCommitEndsWithTheTransaction() {
        List<Boolean> held = new ArrayList<>();
        in(
                transaction,
                none -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        try {
                            bank.hold("a", lease -> {}, null);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        held.add(locks.isHeldHere("a"));
                    }
                }));
        assertThat(held).containsExactly(true);
        assertThat(locks.isHeldHere("a")).isFalse();
    }

    @Test
    void aRollbackToASavepointKeepsTheHold() {
        TransactionTemplate nested = template();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        in(transaction, none -> {
            nested.executeWithoutResult(status -> {
                in(nested, inner -> bank.hold("a", lease -> {}, null));
                status.setRollbackOnly();
            });
            assertThat(locks.isHeldHere("a")).as("after the savepoint").isTrue();
            bank.hold("a", lease -> {}, null);
            assertThatThrownBy(bank::nested).isInstanceOf(LockInsideTransactionException.class);
        });
        assertThat(locks.isHeldHere("a")).isFalse();
    }

    @Test
    void aSuspendedTransactionKeepsItsHold() {
        TransactionTemplate other = template();
        other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        in(transaction, none -> {
            bank.hold("outer", lease -> {}, null);
            in(other, inner -> {
                bank.hold("inner", lease -> {}, null);
                assertThatThrownBy(() -> bank.hold("outer", lease -> {}, null))
                        .as("the other transaction's lock")
                        .isInstanceOf(LockBusyException.class);
            });
            assertThat(locks.isHeldHere("inner")).isFalse();
            assertThat(locks.isHeldHere("outer")).isTrue();
        });
        assertThat(locks.isHeldHere("outer")).isFalse();
    }

    @Test
    void aLockOfAnotherClientIsNotTakenForTheOneThatIsHeld() {
        LockedTemplate other = new LockedTemplate(locks.anotherClient(), context)
                .withTransaction(OuterTransaction.HOLD_UNTIL_COMPLETION)
                .withMaxWait(Duration.ZERO);
        in(transaction, none -> {
            bank.hold("a", lease -> {}, null);
            assertThat(other.<String, RuntimeException>tryExecute("a", Lease::name))
                    .isEmpty();
        });
    }

    @Test
    void aTransactionThatTimesOutGivesTheLockBack() {
        transaction.setTimeout(1);
        JdbcTemplate jdbc = new JdbcTemplate(h2);
        assertThatThrownBy(() -> in(
                        transaction,
                        none -> bank.hold(
                                "a",
                                lease -> {
                                    while (true) {
                                        jdbc.execute("SELECT 1");
                                        assertThat(lease.isValid()).isTrue();
                                    }
                                },
                                null)))
                .isInstanceOfAny(TransactionTimedOutException.class, QueryTimeoutException.class);
        assertThat(locks.isHeldHere("a")).isFalse();
        assertThat(bodies.count()).isZero();
    }

    @Test
    void aPauseOfTheProcessKeepsTheTransactionFromItsCommit() {
        JdbcTemplate jdbc = new JdbcTemplate(h2);
        List<Lease> next = new ArrayList<>();
        assertThatThrownBy(() -> in(transaction, none -> {
                    bank.hold("a", lease -> jdbc.execute("SELECT 1"), null);
                    locks.pause(Duration.ofMinutes(1));
                    next.add(locks.anotherClient().lock("a").tryAcquire().orElseThrow());
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(next)
                .singleElement()
                .satisfies(lease -> assertThat(lease.isValid()).isTrue());
    }

    @Test
    @DisplayName("A release that is not answered ends the transaction all the same")
    void anUnansweredReleaseEndsTheTransaction() throws Exception {
        locks.whileTimePasses(() -> in(transaction, none -> {
            bank.hold("a", lease -> {}, null);
            locks.loseAnswers();
        }));
        assertThat(bodies.count()).isZero();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
    }

    /** At a shutdown nobody waited for it: its lease was dropped before the commit, and its work was lost. */
    @Test
    void aTransactionThatHoldsALockIsARunningBody() {
        in(transaction, none -> {
            bank.hold("a", lease -> assertThat(bodies.count()).isEqualTo(2), null);
            assertThat(bodies.count()).as("after the method").isEqualTo(1);
            assertThat(bodies.interrupt()).isEqualTo(1);
            assertThatThrownBy(() -> new CountDownLatch(1).await(A_MINUTE, TimeUnit.SECONDS))
                    .isInstanceOf(InterruptedException.class);
        });
        assertThat(bodies.count()).isZero();
    }
}
