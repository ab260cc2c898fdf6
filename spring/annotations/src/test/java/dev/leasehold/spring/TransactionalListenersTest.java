package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners that a transaction calls at its end lock where nothing of theirs is committed after the lock is given back. */
class TransactionalListenersTest {

    static class Listener {

        static final List<String> SEEN = new CopyOnWriteArrayList<>();
        static final BlockingQueue<String> LATER = new LinkedBlockingQueue<>();

        private static void note(String what) {
            SEEN.add(what + " " + CurrentLease.get().name());
        }

        @TransactionalEventListener
        @Locked("a")
        void committed(String event) {
            note("committed");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        @Locked("a")
        void rolledBack(String event) {
            note("rolled back");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        @Locked("a")
        void completed(String event) {
            note("completed");
        }

        @TransactionalEventListener
        @Locked("a")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        void inItsOwn(String event) {
            note("in its own");
        }

        /** As Spring Modulith's listeners are. */
        @Async
        @TransactionalEventListener
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Locked("a")
        void later(Double event) {
            LATER.add(
                    CurrentLease.get().name() + " on " + Thread.currentThread().getName());
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @Locked("a")
        void before(Integer event) {
            note("before the commit");
        }
    }

    static class Joining {
        @Locked("a")
        @Transactional
        void write() {
            Listener.SEEN.add("written");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAsync
    static class Config {

        @Bean
        static TaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor("later-");
        }

        @Bean
        static DataSource dataSource() {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setURL("jdbc:h2:mem:listeners;DB_CLOSE_DELAY=-1");
            return h2;
        }

        @Bean
        static JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    private AnnotationConfigApplicationContext context;
    private TransactionTemplate transaction;

    @BeforeEach
    void start() {
        Listener.SEEN.clear();
        context = new AnnotationConfigApplicationContext(
                LocksInMemory.class, Config.class, Listener.class, Joining.class);
        transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        transaction.setName("outer");
    }

    @AfterEach
    void stop() {
        context.close();
    }

    private void publish(Object event, Consumer<TransactionStatus> then) {
        transaction.executeWithoutResult(status -> {
            context.publishEvent(event);
            then.accept(status);
        });
    }

    /** It was refused, the refusal was only logged, and so the listener never ran. */
    @Test
    void aListenerAfterTheCommitIsLocked() {
        publish("event", status -> {});
        assertThat(Listener.SEEN).containsExactlyInAnyOrder("committed a", "completed a", "in its own a");
    }

    @Test
    void anAsynchronousListenerIsLocked() throws Exception {
        publish(1.0, status -> {});
        assertThat(Listener.LATER.poll(A_MINUTE, TimeUnit.SECONDS)).startsWith("a on later-");
    }

    @Test
    void aListenerAfterARollbackIsLocked() {
        publish("event", TransactionStatus::setRollbackOnly);
        assertThat(Listener.SEEN).containsExactlyInAnyOrder("rolled back a", "completed a");
    }

    /** Its publisher learns of it: the transaction has not committed yet. */
    @Test
    void aListenerBeforeTheCommitIsRefused() {
        assertThatThrownBy(() -> publish(1, status -> {})).isInstanceOf(LockInsideTransactionException.class);
        assertThat(Listener.SEEN).isEmpty();
    }

    /** Nothing would commit what it writes while the lock is held. */
    @Test
    void aTransactionThatWouldJoinIsRefused() {
        Throwable[] refusal = new Throwable[1];
        publish(
                1L,
                status -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        refusal[0] = catchThrowable(
                                () -> context.getBean(Joining.class).write());
                    }
                }));
        assertThat(refusal[0])
                .isInstanceOf(LockInsideTransactionException.class)
                .hasMessageContaining("'outer'")
                .hasMessageContaining("completes")
                .hasMessageContaining("REQUIRES_NEW");
        assertThat(Listener.SEEN).isEmpty();
    }

    @Test
    void theTemplateLocksAfterTheCommit() {
        LockedTemplate locks = context.getBean(LockedTemplate.class);
        publish(
                1L,
                status -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        locks.<Boolean, RuntimeException>execute("a", lease -> Listener.SEEN.add(lease.name()));
                    }
                }));
        assertThat(Listener.SEEN).containsExactly("a");
    }
}
