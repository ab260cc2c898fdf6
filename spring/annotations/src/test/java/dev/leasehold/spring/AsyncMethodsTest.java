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
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Async;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods that return before they have done their work hold the lock until they have. */
class AsyncMethodsTest {

    static class Shop {

        static final AtomicInteger CALLS = new AtomicInteger();

        @Locked("stage")
        CompletableFuture<String> stage(CompletableFuture<String> work, @Nullable Lease lease) {
            CALLS.incrementAndGet();
            return work.thenApply(done -> done + " " + lease.name());
        }

        @Locked(name = "stage", onBusy = OnBusy.SKIP)
        CompletableFuture<Optional<String>> stageOrSkip() {
            return CompletableFuture.completedFuture(Optional.of("done"));
        }

        @Locked(name = "stage", maxWait = "1m")
        CompletableFuture<String> asItIs(CompletableFuture<String> work, @Nullable Lease lease) {
            leases.add(lease);
            return work;
        }

        /** Nothing makes a thread for it here, so it is called on the caller's. */
        @Async
        @Locked(name = "async", maxWait = "1m")
        CompletableFuture<String> async(CountDownLatch begun, CompletableFuture<String> work, @Nullable Lease lease)
                throws InterruptedException {
            leases.add(lease);
            begun.countDown();
            if (work.isDone()) {
                new CountDownLatch(1).await();
            }
            return work;
        }

        final Deque<Lease> leases = new ConcurrentLinkedDeque<>();

        Lease last() {
            return leases.removeLast();
        }

        @Locked(name = "mono", maxWait = "0s")
        Mono<String> mono(Mono<String> work) {
            CALLS.incrementAndGet();
            return work;
        }

        @Locked(name = "mono", onBusy = OnBusy.SKIP)
        Mono<String> monoOrSkip(Mono<String> work) {
            return work;
        }

        @Locked(name = "flux", maxWait = "1m")
        Flux<Integer> flux(Flux<Integer> work) {
            return work;
        }
    }

    private static AnnotationConfigApplicationContext context;
    private static Shop shop;
    private static Leasehold locks;

    @BeforeAll
    static void start() {
        context = new AnnotationConfigApplicationContext(LocksInMemory.class, Shop.class);
        shop = context.getBean(Shop.class);
        locks = context.getBean(Leasehold.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static boolean isHeld(String name) {
        try {
            return locks.info(name).map(found -> found.holder() != null).orElse(false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aStageHoldsTheLockUntilItCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = shop.stage(work, null);
        await().until(() -> isHeld("stage"));
        assertThat(shop.stageOrSkip().join()).isEmpty();
        work.complete("done");
        assertThat(result.join()).isEqualTo("done stage");
        assertThat(isHeld("stage")).isFalse();
        assertThat(shop.stageOrSkip().join()).contains("done");
    }

    @Test
    void aFailedStageGivesTheLockBack() {
        CompletableFuture<String> result =
                shop.stage(CompletableFuture.failedFuture(new IllegalStateException("x")), null);
        assertThatThrownBy(result::join).hasRootCauseMessage("x");
        assertThat(isHeld("stage")).isFalse();
    }

    @Test
    void aMonoAsksAtEachSubscription() {
        int before = Shop.CALLS.get();
        Sinks.One<String> work = Sinks.one();
        Mono<String> mono = shop.mono(work.asMono());
        assertThat(isHeld("mono")).isFalse();
        CompletableFuture<String> result = mono.toFuture();
        await().until(() -> isHeld("mono"));
        assertThatThrownBy(() -> shop.mono(Mono.just("other")).block()).isInstanceOf(LockBusyException.class);
        assertThat(shop.monoOrSkip(Mono.just("other")).blockOptional()).isEmpty();
        work.tryEmitValue("done");
        assertThat(result.join()).isEqualTo("done");
        assertThat(isHeld("mono")).isFalse();
        assertThat(mono.block()).isEqualTo("done");
        assertThat(Shop.CALLS.get() - before).isEqualTo(2);
    }

    @Test
    void aCancelledMonoGivesTheLockBack() {
        Disposable subscription = shop.mono(Mono.never()).subscribe();
        await().until(() -> isHeld("mono"));
        subscription.dispose();
        await().until(() -> !isHeld("mono"));
    }

    @Test
    void aSubscriberThatLeavesAtOnceLeavesNothing() {
        for (int i = 0; i < 20000; i++) {
            shop.flux(Flux.never()).subscribe().dispose();
        }
        await().until(() -> !isHeld("flux"));
        assertThat(shop.flux(Flux.just(1)).collectList().block()).containsExactly(1);
    }

    @Test
    void aFluxHoldsTheLockUntilItsEnd() {
        Sinks.Many<Integer> work = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Long> count = shop.flux(work.asFlux()).count().toFuture();
        await().until(() -> isHeld("flux"));
        work.tryEmitNext(1);
        work.tryEmitNext(2);
        assertThat(isHeld("flux")).isTrue();
        work.tryEmitComplete();
        assertThat(count.join()).isEqualTo(2);
        assertThat(isHeld("flux")).isFalse();
    }

    @Test
    void aMonoOnALostLeaseFails() throws Exception {
        Sinks.One<String> work = Sinks.one();
        CompletableFuture<String> result = shop.mono(work.asMono()).toFuture();
        await().until(() -> isHeld("mono"));
        locks.breakLock("mono", locks.info("mono").orElseThrow().holder().token());
        work.tryEmitValue("done");
        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
    }

    /** It went on after the loss for as long as the stream did. */
    @Test
    void anEndlessFluxEndsWithItsLease() throws Exception {
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        CompletableFuture<Long> count = shop.flux(Flux.<Integer>never().doOnCancel(() -> cancelled.complete(true)))
                .count()
                .toFuture();
        await().until(() -> isHeld("flux"));
        locks.breakLock("flux", locks.info("flux").orElseThrow().holder().token());
        assertThatThrownBy(() -> count.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(cancelled.get(A_MINUTE, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aMonoThatNeverEndsEndsWithItsLease() throws Exception {
        CompletableFuture<String> result = shop.mono(Mono.never()).toFuture();
        await().until(() -> isHeld("mono"));
        locks.breakLock("mono", locks.info("mono").orElseThrow().holder().token());
        assertThatThrownBy(() -> result.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
    }

    /** Bodies that blocked there kept the answers of all other callers. */
    @Test
    void streamsAreNotSubscribedOnThreadsOfTheClient() {
        List<String> threads = new CopyOnWriteArrayList<>();
        Runnable note = () -> threads.add(Thread.currentThread().getName());
        shop.flux(Flux.defer(() -> {
                    note.run();
                    return Flux.just(1);
                }))
                .doOnTerminate(note)
                .blockLast();
        shop.mono(Mono.fromCallable(() -> {
                    note.run();
                    return "done";
                }))
                .doOnTerminate(note)
                .block();
        assertThat(threads).hasSize(4).noneMatch(name -> name.startsWith("leasehold"));
    }

    @Test
    void aShutdownCancelsAnEndlessStream() {
        RunningBodies bodies = context.getBean(RunningBodies.class);
        CompletableFuture<Long> count = shop.flux(Flux.never()).count().toFuture();
        await().until(() -> bodies.count() == 1);
        assertThat(bodies.interrupt()).isEqualTo(1);
        assertThatThrownBy(() -> count.get(A_MINUTE, TimeUnit.SECONDS)).hasStackTraceContaining("the application ends");
        await().until(() -> !isHeld("flux"));
        assertThat(bodies.count()).isZero();
    }

    private static CompletableFuture<CompletableFuture<String>> callAsync(
            CountDownLatch begun, CompletableFuture<String> work) {
        CompletableFuture<CompletableFuture<String>> call = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        call.complete(shop.async(begun, work, null));
                    } catch (Throwable e) {
                        call.completeExceptionally(e);
                    }
                })
                .start();
        return call;
    }

    /** Cancelled, it would count as ended, and the lock would be free while its work goes on. */
    @Test
    void aShutdownLetsAStageEndByItself() {
        RunningBodies bodies = context.getBean(RunningBodies.class);
        for (CompletionStage<String> stage :
                List.of(new CompletableFuture<String>(), Mono.<String>never().toFuture())) {
            CompletableFuture<String> work = stage.toCompletableFuture();
            CompletableFuture<String> result = shop.asItIs(work, null);
            await().until(() -> bodies.count() == 1 && isHeld("stage"));
            assertThat(bodies.interrupt()).isZero();
            assertThat(work).isNotDone();
            assertThat(bodies.count()).isEqualTo(1);
            assertThat(isHeld("stage")).isTrue();
            work.complete("done");
            assertThat(result.join()).isEqualTo("done");
            assertThat(isHeld("stage")).isFalse();
        }
    }

    /** The thread that an asynchronous method blocks was not interrupted, neither at a shutdown nor when the lease was lost. */
    @Test
    void aShutdownInterruptsTheThreadOfAnAsynchronousMethod() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<?> call = callAsync(begun, CompletableFuture.completedFuture("blocks"));
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(context.getBean(RunningBodies.class).interrupt()).isEqualTo(1);
        assertThatThrownBy(() -> call.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        await().until(() -> !isHeld("async"));
        assertThat(shop.last().isValid()).isFalse();
    }

    @Test
    void aLossInterruptsTheThreadOfAnAsynchronousMethod() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<?> call = callAsync(begun, CompletableFuture.completedFuture("blocks"));
        assertThat(begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(locks.breakLock("async", shop.last().token())).isTrue();
        assertThatThrownBy(() -> call.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossCancelsTheStageOfAnAsynchronousMethod() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = callAsync(begun, work).get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(locks.breakLock("async", shop.last().token())).isTrue();
        assertThatThrownBy(() -> result.get(A_MINUTE, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
        await().until(work::isCancelled);
    }

    @Test
    void aStageCountsAsARunningBody() {
        RunningBodies bodies = context.getBean(RunningBodies.class);
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = shop.stage(work, null);
        await().until(() -> bodies.count() == 1);
        work.complete("done");
        result.join();
        assertThat(bodies.count()).isZero();
    }
}
