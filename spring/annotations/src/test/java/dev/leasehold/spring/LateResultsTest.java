package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.subjects.CompletableSubject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;

/** Results whose work is done after the method has returned, where the declared type does not say so. The lock was free before. */
class LateResultsTest {

    abstract static class Handler<R> {

        @Locked(name = "generic", maxWait = "0s")
        public R handle(R work) {
            return work;
        }
    }

    static class StageHandler extends Handler<CompletableFuture<String>> {}

    static class MonoHandler extends Handler<Mono<String>> {}

    /** Its methods are called by bridges in {@link Visible}. */
    abstract static class Hidden {

        @Locked(name = "bridged", maxWait = "0s")
        public String name(Lease lease) {
            return lease.name();
        }
    }

    public static class Visible extends Hidden {}

    static class Anything {

        @Locked(name = "anything", maxWait = "0s")
        public Object give(Object result) {
            if (result instanceof RuntimeException failure) {
                throw failure;
            }
            return result;
        }

        @Locked(name = "rx", maxWait = "0s")
        public Completable rx(Completable work) {
            return work;
        }

        @LeaderOnly("anything-leader")
        public @Nullable Object lead(Object result) {
            return result;
        }
    }

    private static AnnotationConfigApplicationContext context;
    private static Leasehold locks;
    private static Anything anything;

    @BeforeAll
    static void start() {
        context = new AnnotationConfigApplicationContext(
                LocksInMemory.class, StageHandler.class, MonoHandler.class, Visible.class, Anything.class);
        locks = context.getBean(Leasehold.class);
        anything = context.getBean(Anything.class);
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
    void aGenericStageHoldsUntilItsEnd() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = context.getBean(StageHandler.class).handle(work);
        await().until(() -> isHeld("generic"));
        work.complete("done");
        assertThat(result.join()).isEqualTo("done");
        assertThat(isHeld("generic")).isFalse();
    }

    @Test
    void aGenericMonoIsRunUnderTheLock() {
        Mono<String> result = context.getBean(MonoHandler.class)
                .handle(Mono.fromCallable(() -> isHeld("generic") ? "under the lock" : "without"));
        assertThat(result.block()).isEqualTo("under the lock");
    }

    @Test
    void aMethodBehindAVisibilityBridgeIsLocked() {
        assertThat(context.getBean(Visible.class).name(null)).isEqualTo("bridged");
    }

    @Test
    void anRxTypeHoldsUntilItsEnd() {
        CompletableSubject work = CompletableSubject.create();
        CompletableFuture<Object> result =
                anything.rx(work).toCompletionStage((Object) "done").toCompletableFuture();
        await().until(() -> isHeld("rx"));
        work.onComplete();
        assertThat(result.join()).isEqualTo("done");
        assertThat(isHeld("rx")).isFalse();
    }

    @Test
    void aStageBehindObjectHoldsUntilItsEnd() {
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<?> result = (CompletableFuture<?>) anything.give(work);
        assertThat(isHeld("anything")).isTrue();
        assertThatThrownBy(() -> anything.give("other")).isInstanceOf(LockBusyException.class);
        work.complete("done");
        assertThat(result.join()).isEqualTo("done");
        assertThat(isHeld("anything")).isFalse();
        assertThat(anything.give("plain")).isEqualTo("plain");
        assertThat(isHeld("anything")).isFalse();
        assertThatThrownBy(() -> anything.give(new IllegalStateException("x"))).hasMessage("x");
        assertThat(isHeld("anything")).isFalse();
    }

    @Test
    void aFailedStageBehindObjectGivesTheLockBack() {
        CompletableFuture<?> result =
                (CompletableFuture<?>) anything.give(CompletableFuture.failedFuture(new IOException("x")));
        assertThatThrownBy(result::join).hasRootCauseMessage("x");
        assertThat(isHeld("anything")).isFalse();
    }

    @Test
    void aStageBehindObjectFailsOnALostLease() throws Exception {
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<?> result = (CompletableFuture<?>) anything.give(work);
        locks.breakLock(
                "anything", locks.info("anything").orElseThrow().holder().token());
        work.complete("done");
        assertThatThrownBy(result::join).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void otherLateResultsBehindObjectAreRefused() {
        Callable<String> callable = () -> "";
        for (Object late :
                List.of(callable, Stream.of(1), Mono.just(1), Optional.of(Stream.of(1)), Completable.complete())) {
            assertThatThrownBy(() -> anything.give(late))
                    .isInstanceOf(InvalidLockedMethodException.class)
                    .hasMessageContaining("Anything.give")
                    .hasMessageContaining("without the lock");
            assertThat(isHeld("anything")).isFalse();
        }
    }

    @Test
    void aLeadersLateResultIsRefused() {
        await().until(() -> anything.lead("plain") != null);
        assertThatThrownBy(() -> anything.lead(new CompletableFuture<>()))
                .isInstanceOf(InvalidLockedMethodException.class);
    }
}
