package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.subjects.CompletableSubject;
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
        public <T> T give(T result) {
            return result;
        }

        @Locked(name = "rx", maxWait = "0s")
        public Completable rx(Completable work) {
            return work;
        }

        @LeaderOnly("anything-leader")
        public <T> @Nullable T lead(T result) {
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
    void lateResultsBehindAnOpenTypeAreRefused() {
        Callable<String> callable = () -> "";
        for (Object late : List.of(
                callable,
                Stream.of(1),
                Mono.just(1),
                Optional.of(Stream.of(1)),
                Completable.complete(),
                new CompletableFuture<>())) {
            assertThatThrownBy(() -> anything.give(late))
                    .isInstanceOf(InvalidLockedMethodException.class)
                    .hasMessageContaining("Anything.give")
                    .hasMessageContaining("without the lock");
            assertThat(isHeld("anything")).isFalse();
        }
        assertThatThrownBy(() -> anything.give(new CompletableFuture<>()))
                .hasMessageContaining("Declare a CompletableFuture as the return type");
        assertThat(anything.give("plain")).isEqualTo("plain");
    }

    @Test
    void aLeadersLateResultIsRefused() {
        await().until(() -> anything.lead("plain") != null);
        assertThatThrownBy(() -> anything.lead(new CompletableFuture<>()))
                .isInstanceOf(InvalidLockedMethodException.class);
    }
}
