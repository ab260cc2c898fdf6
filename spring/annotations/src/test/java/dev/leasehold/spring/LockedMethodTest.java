package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.LockException;
import dev.leasehold.spring.internal.RunningBodies;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;

/** These tests show what a locked method does that blocks. */
class LockedMethodTest {

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Locked(maxWait = "0s")
    @interface Nightly {
        @AliasFor(annotation = Locked.class, attribute = "name")
        String value();
    }

    record Order(String id) {}

    static class Shop {

        @Locked(name = "invoice:#{#id}", maxWait = "0s")
        String send(Long id, @Nullable Lease lease) {
            return lease.name() + " valid " + lease.isValid();
        }

        @Locked("order:#{#order.id}:${region}")
        String ship(Order order, @Nullable Lease lease) {
            return lease.name();
        }

        @Locked("thing:#{#thing}")
        void change(Object thing) {}

        @Locked("optional:#{#id}")
        String optional(Optional<String> id, @Nullable Lease lease) {
            return lease.name();
        }

        @Locked(name = "#{key}", onBusy = OnBusy.SKIP)
        Optional<String> byProperty() {
            return Optional.of("done");
        }

        public String getKey() {
            return "key-of-the-bean";
        }

        @Nightly("report")
        void report(Runnable body) {
            body.run();
        }

        @Locked(name = "short", onBusy = OnBusy.SKIP, lease = "${its.lease}", minHold = "1h")
        @Nullable Integer count(@Nullable Lease lease) {
            return lease == null ? null : 1;
        }

        @Locked("declared")
        void failing() throws java.io.IOException {
            throw new java.io.IOException("the method's own");
        }

        @Locked(name = "slow", maxWait = "forever")
        void sleepy(CountDownLatch begun) throws InterruptedException {
            begun.countDown();
            new CountDownLatch(1).await();
        }
    }

    private static final AnnotationConfigApplicationContext CONTEXT = new AnnotationConfigApplicationContext();
    private static Shop shop;
    private static Leasehold locks;

    @BeforeAll
    static void start() {
        CONTEXT.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", java.util.Map.of("region", "eu", "its.lease", "1m")));
        CONTEXT.register(LocksInMemory.class, Shop.class);
        CONTEXT.refresh();
        shop = CONTEXT.getBean(Shop.class);
        locks = CONTEXT.getBean(Leasehold.class);
    }

    @AfterAll
    static void stop() {
        CONTEXT.close();
    }

    @Test
    void runsUnderTheLockWithItsLease() throws Exception {
        assertThat(shop.send(42L, null)).isEqualTo("invoice:42 valid true");
        assertThat(locks.info("invoice:42").map(found -> found.holder())).isNotPresent();
    }

    /** A scheduled method has no parameters. */
    @Test
    void theLeaseIsKnownToTheThread() {
        shop.report(() -> {
            assertThat(CurrentLease.get().name()).isEqualTo("report");
            shop.change("a");
            assertThat(CurrentLease.get().name()).isEqualTo("report");
        });
        assertThat(CurrentLease.find()).isEmpty();
    }

    @Test
    void aBusyLockThrowsAndNothingRuns() throws Exception {
        try (Lease ignored = locks.lock("invoice:7").acquire()) {
            assertThatThrownBy(() -> shop.send(7L, null))
                    .isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("invoice:7");
            assertThat(shop.send(8L, null)).contains("invoice:8");
        }
    }

    @Test
    void aNameMayHavePropertiesAndPlaceholders() {
        assertThat(shop.ship(new Order("a"), null)).isEqualTo("order:a:eu");
    }

    @Test
    void aNullNameFailsAndNothingIsLocked() {
        assertThatThrownBy(() -> shop.change(null))
                .isInstanceOf(InvalidLockNameException.class)
                .hasMessageContaining("#{#thing}")
                .hasMessageContaining("is null")
                .hasMessageContaining("Shop.change");
    }

    @Test
    void anEmptyNameFails() {
        assertThatThrownBy(() -> shop.change("")).hasMessageContaining("is empty");
    }

    @Test
    void anObjectWithoutATextFails() {
        assertThatThrownBy(() -> shop.change(new Object())).hasMessageContaining("has no text of its own");
        assertThatThrownBy(() -> shop.change(new int[0])).hasMessageContaining("has no text of its own");
    }

    /** Calls that have nothing to do with each other shared the lock "optional:Optional.empty". */
    @Test
    void anEmptyOptionalFails() {
        assertThatThrownBy(() -> shop.optional(Optional.empty(), null)).hasMessageContaining("is empty");
        assertThat(shop.optional(Optional.of("a"), null)).isEqualTo("optional:a");
    }

    @Test
    void aBlankNameFails() {
        assertThatThrownBy(() -> shop.change(" \t")).hasMessageContaining("is empty");
        assertThatThrownBy(() -> shop.change(java.util.List.of())).hasMessageContaining("is empty");
    }

    @Test
    void aNullInsideAPropertyFails() {
        assertThatThrownBy(() -> shop.ship(new Order(null), null)).isInstanceOf(InvalidLockNameException.class);
    }

    @Test
    void aSkippedCallIsEmpty() throws Exception {
        assertThat(shop.byProperty()).contains("done");
        try (Lease ignored = locks.lock("key-of-the-bean").acquire()) {
            assertThat(shop.byProperty()).isEmpty();
        }
    }

    @Test
    void minHoldKeepsTheLockTaken() {
        assertThat(shop.count(null)).isEqualTo(1);
        assertThat(shop.count(null)).isNull();
    }

    @Test
    void aMetaAnnotationLocks() {
        assertThatThrownBy(() -> shop.report(() -> shop.report(() -> {}))).isInstanceOf(LockBusyException.class);
    }

    /** It was taken for the outer lock being busy once, and skipped. */
    @Test
    void aBusyLockInsideTheBodyIsNotASkip() throws Exception {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(LocksInMemory.class, Nested.class)) {
            assertThatThrownBy(() -> context.getBean(Nested.class).outer()).isInstanceOf(LockBusyException.class);
        }
    }

    static class Nested {
        @Locked(name = "outer", onBusy = OnBusy.SKIP)
        void outer() {
            throw new LockBusyException("inner", "no wait");
        }
    }

    @Test
    void itsOwnExceptionsPass() {
        assertThatThrownBy(() -> shop.failing())
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("the method's own");
    }

    @Test
    void aLostLeaseInterruptsAndThrows() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> {
            try {
                shop.sleepy(begun);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        locks.breakLock("slow", locks.info("slow").orElseThrow().holder().token());
        assertThatThrownBy(() -> call.get(A_MINUTE, TimeUnit.SECONDS)).hasRootCauseInstanceOf(LeaseLostException.class);
    }

    /** Few methods let an interrupt out as it is: the caller took the loss for a fault of the body. */
    @Test
    void aLossIsNotHiddenByTheBodysException() {
        assertThatThrownBy(() -> shop.report(LockedMethodTest::loseAndWrapTheInterrupt))
                .isInstanceOf(LeaseLostException.class)
                .cause()
                .hasMessage("wrapped");
        assertThat(Thread.interrupted()).isFalse();
    }

    private static void loseAndWrapTheInterrupt() {
        try {
            locks.breakLock("report", CurrentLease.get().token());
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("wrapped", e);
        }
    }

    @Test
    void anInterruptedWaitLocksNothing() throws Exception {
        try (Lease ignored = locks.lock("declared").acquire()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> shop.failing())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void theTemplateLocksInCode() throws Exception {
        LockedTemplate template = CONTEXT.getBean(LockedTemplate.class).withMaxWait(Duration.ZERO);
        assertThat(template.<String, RuntimeException>execute("t", Lease::name)).isEqualTo("t");
        try (Lease ignored = locks.lock("t").acquire()) {
            assertThat(template.<String, RuntimeException>tryExecute("t", Lease::name))
                    .isEmpty();
            assertThatThrownBy(() -> template.<String, RuntimeException>execute("t", Lease::name))
                    .isInstanceOf(LockBusyException.class);
        }
    }

    @Test
    void aShutdownInterruptsWhatRunsUnderALock() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
            try {
                shop.sleepy(begun);
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(CONTEXT.getBean(RunningBodies.class).interrupt()).isEqualTo(1);
        assertThat(interrupted.get(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(locks.lock("slow").tryAcquire()).isPresent().get().satisfies(Lease::close);
    }

    /**
     * This is like a repository of Spring Data: the annotation stands on the interface, and the proxy is one of the
     * JDK.
     */
    interface Repository {
        @Locked("row:#{#id}")
        String save(String id);
    }

    static class RepositoryBean implements Repository {

        private final Leasehold leasehold;

        RepositoryBean(Leasehold leasehold) {
            this.leasehold = leasehold;
        }

        @Override
        public String save(String id) {
            try {
                return leasehold.info("row:" + id).isPresent() ? "locked" : "free";
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void anInterfaceBehindAProxyOfTheJdkLocks() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(LocksInMemory.class, RepositoryBean.class)) {
            Repository repository = context.getBean(Repository.class);
            assertThat(org.springframework.aop.support.AopUtils.isJdkDynamicProxy(repository))
                    .isTrue();
            assertThat(repository.save("a")).isEqualTo("locked");
        }
    }

    @Test
    void aNativeImageKeepsWhatExpressionsRead() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Shop.class);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Shop.class, "getKey"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "id"))
                .accepts(hints);
    }
}
