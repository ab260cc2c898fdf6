package dev.leasehold.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.util.Arrays;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** The lock lies outside of the transaction, whichever of the two the application has switched on first. */
class AdviceOrderTest {

    static class Bank {

        @Locked("bank")
        @Transactional
        public void book() {}
    }

    @EnableLeasehold
    static class Locks {}

    @EnableTransactionManagement
    static class Transactions {}

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLockLiesOutsideOfTheTransaction(boolean locksFirst) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Leasehold.class, () -> Leasehold.connect("memory:"));
            context.registerBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(new JdbcDataSource()));
            context.register(locksFirst ? Locks.class : Transactions.class);
            context.register(locksFirst ? Transactions.class : Locks.class);
            context.register(Bank.class);
            context.refresh();
            List<String> order = Arrays.stream(((Advised) context.getBean(Bank.class)).getAdvisors())
                    .map(advisor -> advisor.getAdvice().getClass().getSimpleName())
                    .filter(name -> name.startsWith("Locked") || name.startsWith("Transaction"))
                    .toList();
            assertThat(order).containsExactly("LockedInterceptor", "TransactionInterceptor");
        }
    }
}
