package dev.leasehold.spring.boot.autoconfigure;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcFence;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.LockedTemplate;
import dev.leasehold.spring.OnBusy;
import dev.leasehold.spring.integration.LeaseholdLockRegistry;
import dev.leasehold.spring.shedlock.LeaseholdLockProvider;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import net.javacrumbs.shedlock.core.LockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * These tests show what the auto-configuration brings beside the client, and which faults it reports when the
 * application starts.
 */
class AnnotationsTest {

    public static class Shop {

        @Locked("thing:#{#id}")
        public String sell(@Nullable String id, @Nullable Lease lease) {
            return lease.name();
        }

        @Locked(name = "only", client = "second", maxWait = "0s")
        public String elsewhere(@Nullable Lease lease) {
            return lease.name();
        }

        @Locked("long")
        public boolean work(CountDownLatch begun) {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        }
    }

    static class PrimitiveSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        int method() {
            return 1;
        }
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class,
                    LeaseholdFenceAutoConfiguration.class,
                    LeaseholdShedLockAutoConfiguration.class,
                    LeaseholdIntegrationAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory")
            .withBean(Shop.class);

    @Test
    void methodsAreLocked() {
        runner.run(context -> {
            assertThat(context.getBean(Shop.class).sell("a", null)).isEqualTo("thing:a");
            assertThat(context).hasSingleBean(LockedTemplate.class).hasSingleBean(Elections.class);
        });
    }

    @Test
    void aClientIsChosenByName() {
        runner.withUserConfiguration(TwoClients.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            try (Lease other =
                    context.getBean("first", Leasehold.class).lock("only").acquire()) {
                assertThat(shop.elsewhere(null)).isEqualTo("only");
            }
            try (Lease other =
                    context.getBean("second", Leasehold.class).lock("only").acquire()) {
                assertThatThrownBy(() -> shop.elsewhere(null)).hasMessageContaining("only");
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoClients {
        @Bean
        Leasehold first() {
            return Leasehold.connect("memory:first");
        }

        @Bean
        Leasehold second() {
            return Leasehold.connect("memory:second");
        }
    }

    @Test
    void aPrimitiveReturnWithSkipIsAnalysed() {
        runner.withBean(PrimitiveSkip.class).run(context -> {
            var analysis = Failure.analysis(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .contains("PrimitiveSkip.method")
                    .contains("int cannot");
            assertThat(analysis.getAction()).contains("Return void");
        });
    }

    @Test
    void aNullNameIsAnalysed() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Shop.class).sell(null, null))
                .satisfies(failure -> assertThat(Failure.analysis(failure).getDescription())
                        .contains("#{#id}")
                        .contains("is null")));
    }

    @Test
    void anOuterTransactionIsAnalysed() {
        runner.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
                .run(context -> {
                    TransactionTemplate transaction = new TransactionTemplate(
                            context.getBean(org.springframework.transaction.PlatformTransactionManager.class));
                    assertThatThrownBy(() -> transaction.executeWithoutResult(
                                    status -> context.getBean(Shop.class).sell("a", null)))
                            .satisfies(failure -> assertThat(
                                            Failure.analysis(failure).getAction())
                                    .contains("HOLD_UNTIL_COMPLETION"));
                });
    }

    @Test
    void bridgesAreThereWithWhatTheyBridgeTo() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LeaseholdLockProvider.class)
                .hasSingleBean(LeaseholdLockRegistry.class));
        runner.withBean(LockProvider.class, () -> configuration -> java.util.Optional.empty())
                .run(context -> assertThat(context).doesNotHaveBean(LeaseholdLockProvider.class));
        runner.withClassLoader(new FilteredClassLoader(LockProvider.class, LockRegistry.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("leaseholdLockProvider")
                        .doesNotHaveBean("leaseholdLockRegistry"));
    }

    @Test
    void aFenceIsThereWithADataSource() {
        runner.run(context -> assertThat(context).doesNotHaveBean(JdbcFence.class));
        runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "leasehold.fence.initialize-schema=true")
                .run(context -> {
                    assertThat(context).hasSingleBean(JdbcFence.class);
                    try (var connection =
                            context.getBean(javax.sql.DataSource.class).getConnection()) {
                        connection.setAutoCommit(false);
                        context.getBean(JdbcFence.class).register(connection, "a", 1);
                    }
                });
    }

    @Test
    void electionsBeginWhenTheApplicationIsReady() {
        runner.withPropertyValues("spring.application.name=shop").run(context -> {
            Elections elections = context.getBean(Elections.class);
            assertThat(elections.isRunning()).isFalse();
            context.publishEvent(new ApplicationReadyEvent(
                    new SpringApplication(), new String[0], context.getSourceApplicationContext(), null));
            assertThat(elections.isRunning()).isTrue();
            elections.election("");
            await().until(() -> elections.isLeader(""));
            assertThat(elections.offices()).containsExactly("shop-leader");
        });
    }

    /** The lock is free at once for the next instance, and not only after the lease. */
    @Test
    void aShutdownInterruptsWhatTakesTooLong() {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> work = new CompletableFuture<>();
        try (Leasehold next = Leasehold.connect("memory:shutdown")) {
            runner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.lifecycle.timeout-per-shutdown-phase=2m",
                            "leasehold.store.uri=memory:shutdown",
                            "leasehold.shutdown.wait-time=100ms",
                            "leasehold.shutdown.interrupt-wait-time=1m")
                    .run(context -> {
                        Shop shop = context.getBean(Shop.class);
                        CompletableFuture.supplyAsync(() -> shop.work(begun)).whenComplete((interrupted, failure) -> {
                            if (failure == null) {
                                work.complete(interrupted);
                            } else {
                                work.completeExceptionally(failure);
                            }
                        });
                        begun.await();
                    });
            assertThat(work).isCompletedWithValue(true);
            assertThat(next.lock("long").tryAcquire()).isPresent().get().satisfies(Lease::close);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
