package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.spring.internal.RunningBodies;
import dev.leasehold.test.TestLeasehold;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Stages under locks that behave badly, and what else comes at a bad moment. */
class StageWorkTest {

    static class Shop {

        @Locked(name = "stage", maxWait = "0s")
        CompletableFuture<String> stage(Supplier<CompletableFuture<String>> work) {
            return work.get();
        }

        @Locked(name = "skipping", onBusy = OnBusy.SKIP)
        CompletableFuture<Optional<String>> skipping(Supplier<CompletableFuture<Optional<String>>> work) {
            return work.get();
        }

        /** Nothing makes a thread for it here, so it is called on the caller's. */
        @Async
        @Locked(name = "async", maxWait = "0s")
        CompletableFuture<String> async(Supplier<CompletableFuture<String>> work) {
            return work.get();
        }

        @Locked(name = "mono", maxWait = "0s")
        Mono<String> mono(Mono<String> work) {
            return work;
        }
    }

    @EnableLeasehold
    static class Enabled {}

    private final TestLeasehold locks = TestLeasehold.create();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private Shop shop;
    private RunningBodies bodies;

    @BeforeEach
    void start() {
        context.registerBean(Leasehold.class, locks::leasehold, definition -> definition.setDestroyMethodName(""));
        context.register(Enabled.class, Shop.class);
        context.refresh();
        shop = context.getBean(Shop.class);
        bodies = context.getBean(RunningBodies.class);
    }

    @AfterEach
    void stop() {
        context.close();
        locks.close();
    }

    private CompletableFuture<String> begin(CompletableFuture<String> work) {
        CompletableFuture<String> result = shop.stage(() -> work);
        await().until(() -> bodies.count() == 1 && locks.isHeldHere("stage"));
        return result;
    }

    private void assertNothingIsLeft() {
        await().until(() -> bodies.count() == 0);
        await().until(() -> !locks.isHeldHere("stage"));
    }

    /** It counted as running, and a shutdown waited for it, for as long as the process lived. */
    @Test
    void aStageThatNobodyCanCompleteIsNotNotedAnyMore() {
        WeakReference<Object> gone = new WeakReference<>(begin(new CompletableFuture<>()));
        await().until(() -> {
            System.gc();
            return gone.refersTo(null) && bodies.count() == 0;
        });
    }

    /** It counted as running for as long as the process lived, and its lock was never given back. */
    @Test
    void aStageThatRefusesToBeFollowedIsNotNoted() {
        class Refusing extends CompletableFuture<String> {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw new IllegalStateException("refused");
            }
        }
        assertThatThrownBy(() -> shop.stage(Refusing::new).get(A_MINUTE, TimeUnit.SECONDS))
                .hasRootCauseMessage("refused");
        assertNothingIsLeft();
    }

    @Test
    void aStageThatCompletesTwiceEndsOnce() throws Exception {
        class Twice extends CompletableFuture<String> {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                super.whenComplete((value, failure) -> action.accept("again", null));
                return super.whenComplete(action);
            }
        }
        Twice work = new Twice();
        CompletableFuture<String> result = begin(work);
        work.complete("done");
        assertThat(result.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("done");
        assertNothingIsLeft();
    }

    @Test
    void aCallThatIsCancelledAsItIsGrantedLeavesNothing() {
        for (int i = 0; i < 2000; i++) {
            CompletableFuture<String> result = shop.stage(() -> CompletableFuture.completedFuture("done"));
            if (i % 2 == 0) {
                Thread.onSpinWait();
            }
            result.cancel(true);
        }
        assertNothingIsLeft();
    }

    /** The caller may leave; the work goes on, and so does its lock. */
    @Test
    void aCallThatIsCancelledWhileItsWorkGoesOnKeepsTheLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = begin(work);
        assertThat(result.cancel(true)).isTrue();
        assertThat(work).isNotDone();
        assertThat(locks.isHeldHere("stage")).isTrue();
        assertThat(bodies.count()).isEqualTo(1);
        work.complete("done");
        assertNothingIsLeft();
    }

    @Test
    @DisplayName("A pause of the process fails the call and leaves the next holder alone")
    void aPauseFailsTheCallAndLeavesTheNextHolder() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = begin(work);
        locks.pause(Duration.ofMinutes(1));
        Lease next = locks.anotherClient().lock("stage").tryAcquire().orElseThrow();
        work.complete("done");
        assertThatThrownBy(() -> result.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(next.isValid()).isTrue();
        assertThat(bodies.count()).isZero();
    }

    /** The stream ends by itself before anybody has noticed the end of its lease. */
    @Test
    void aPauseOfTheProcessFailsTheStream() {
        Sinks.One<String> work = Sinks.one();
        CompletableFuture<String> result = shop.mono(work.asMono()).toFuture();
        await().until(() -> work.currentSubscriberCount() == 1);
        locks.pause(Duration.ofMinutes(1), () -> work.tryEmitValue("done"));
        assertThatThrownBy(() -> result.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
    }

    /** It is the work's own failure, and not this call's lock that was busy. */
    @Test
    void aBusyLockInsideTheWorkIsNotASkip() {
        LockBusyException inner = new LockBusyException("inner", "no wait");
        assertThatThrownBy(() -> shop.skipping(() -> CompletableFuture.failedFuture(inner))
                        .get(A_MINUTE, TimeUnit.SECONDS))
                .hasCause(inner);
        assertThatThrownBy(() -> shop.skipping(() -> {
                            throw inner;
                        })
                        .get(A_MINUTE, TimeUnit.SECONDS))
                .hasCause(inner);
    }

    /** Somebody who tries again would find the lock taken by the first try. */
    @Test
    @DisplayName("An asynchronous method that throws does so after the release")
    void anAsynchronousMethodThrowsAfterTheRelease() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            try {
                shop.async(() -> {
                    locks.loseAnswers();
                    begun.countDown();
                    throw new IllegalStateException("work");
                });
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        caller.start();
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        await().until(() -> caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TERMINATED);
        assertThat(thrown).as("while the release is not answered").isNotDone();
        locks.advance(Duration.ofSeconds(2));
        assertThat(thrown.get(A_MINUTE, TimeUnit.SECONDS)).hasMessage("work");
    }
}
