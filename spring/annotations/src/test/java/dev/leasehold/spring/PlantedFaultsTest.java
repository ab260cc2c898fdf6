package dev.leasehold.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;

/** Annotations with a mistake, each of which fails the start. */
class PlantedFaultsTest {

    static class NoSuchParameter {
        @Locked("a:#{#nonesuch}")
        void method(String id) {}
    }

    static class Unparsable {
        @Locked("a:#{#id")
        void method(String id) {}
    }

    static class NoName {
        @Locked
        void method() {}
    }

    static class BlankName {
        @Locked("  ")
        void method() {}
    }

    static class MissingBean {
        @Locked("a:#{@nonesuch.id}")
        void method() {}
    }

    /** Its name was "a:null" for a missing value. */
    static class Concatenation {
        @Locked("#{'a:' + #id}")
        void method(String id) {}
    }

    static class NestedConcatenation {
        @Locked("#{T(String).valueOf('a' + #id)}")
        void method(String id) {}
    }

    static class PrimitiveSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        int method() {
            return 1;
        }
    }

    static class WrapperSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        @Nullable Integer method() {
            return 1;
        }
    }

    static class WrapperLeader {
        @LeaderOnly
        @Nullable Integer method() {
            return 1;
        }
    }

    static class ObjectSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        String method() {
            return "";
        }
    }

    static class StageSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        CompletableFuture<String> method() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class NoDuration {
        @Locked(name = "a", lease = "soon")
        void method() {}
    }

    static class ShortLease {
        @Locked(name = "a", lease = "1ms")
        void method() {}
    }

    static class NoPlaceholder {
        @Locked("a:${nonesuch}")
        void method() {}
    }

    static class PrivateMethod {
        @Locked("a")
        private void method() {}
    }

    static class StaticMethod {
        @Locked("a")
        static void method() {}
    }

    static class FinalMethod {
        @Locked("a")
        final void method() {}
    }

    /** The first method is fine, and hid the second once. */
    static class SecondIsWrong {
        @Locked("a")
        void first() {}

        @Locked("a")
        private void second() {}
    }

    static class PlainFuture {
        @Locked("a")
        Future<String> method() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class LateCallable {
        @Locked("a")
        Callable<String> method() {
            return () -> "";
        }
    }

    static class AnyObject {
        @Locked("a")
        Object method() {
            return "";
        }
    }

    static class AnyObjectLeader {
        @LeaderOnly
        @Nullable Object method() {
            return null;
        }
    }

    static class LateStream {
        @Locked("a")
        Stream<String> method() {
            return Stream.of();
        }
    }

    static class LateOptional {
        @Locked("a")
        Optional<Stream<String>> method() {
            return Optional.empty();
        }
    }

    interface Generic<R> {
        R method();
    }

    static class GenericLeader implements Generic<CompletableFuture<String>> {
        @Override
        @LeaderOnly
        public CompletableFuture<String> method() {
            return CompletableFuture.completedFuture("");
        }
    }

    abstract static class GenericBase<R> {
        @LeaderOnly
        @Nullable R method() {
            return null;
        }
    }

    static class InheritedLeader extends GenericBase<CompletableFuture<String>> {}

    static class InheritedStream extends LateBase<Stream<String>> {}

    abstract static class LateBase<R> {
        @Locked("a")
        @Nullable R method() {
            return null;
        }
    }

    /** A proxy of the class, which is Spring Boot's usual one, would have run it without the lock. */
    static class FinalOfAnInterface implements Runnable {
        @Override
        @Locked("a")
        public final void run() {}
    }

    static class ReactiveHold {
        @Locked(name = "a", transaction = OuterTransaction.HOLD_UNTIL_COMPLETION)
        Mono<String> method() {
            return Mono.empty();
        }
    }

    static class ReactiveLeader {
        @LeaderOnly
        Mono<String> method() {
            return Mono.empty();
        }
    }

    static class PrimitiveLeader {
        @LeaderOnly
        int method() {
            return 1;
        }
    }

    @Test
    void eachFailsTheStartWithItsReason() {
        assertFails(NoSuchParameter.class, "uses #nonesuch, and the parameters are [id]");
        assertFails(Unparsable.class, "cannot be parsed");
        assertFails(NoName.class, "has no name");
        assertFails(PrimitiveSkip.class, "onBusy = SKIP needs a return type");
        assertFails(ObjectSkip.class, "onBusy = SKIP needs a return type");
        assertFails(StageSkip.class, "onBusy = SKIP needs a return type");
        assertFails(NoDuration.class, "lease is 'soon', which is no duration");
        assertFails(ShortLease.class, "leaseDuration must be");
        assertFails(NoPlaceholder.class, "nonesuch");
        assertFails(PrivateMethod.class, "is private");
        assertFails(StaticMethod.class, "is static");
        assertFails(FinalMethod.class, "is final");
        assertFails(SecondIsWrong.class, "is private");
        assertFails(PlainFuture.class, "returns a Future");
        assertFails(LateCallable.class, "returns a Callable");
        assertFails(AnyObject.class, "declared to return Object");
        assertFails(AnyObjectLeader.class, "declared to return Object");
        assertFails(LateStream.class, "returns a Stream");
        assertFails(LateOptional.class, "returns a Stream");
        assertFails(InheritedStream.class, "returns a Stream");
        assertFails(GenericLeader.class, "for methods that block");
        assertFails(InheritedLeader.class, "for methods that block");
        assertFails(ReactiveHold.class, "for methods that block");
        assertFails(ReactiveLeader.class, "for methods that block");
        assertFails(PrimitiveLeader.class, "onFollower = SKIP needs");
    }

    @Test
    void namesThatCannotWorkFailTheStart() {
        assertFails(BlankName.class, "has no name");
        assertFails(MissingBean.class, "uses the bean 'nonesuch', which is not there");
        assertFails(Concatenation.class, "has a sum");
        assertFails(NestedConcatenation.class, "has a sum");
        assertThat(failure(Concatenation.class).remedy()).contains("invoice:#{#id}");
    }

    @Test
    void aFinalMethodOfAnInterfaceFailsTheStart() {
        assertFails(FinalOfAnInterface.class, "is final");
    }

    /** An int cannot be marked as one that may be null, nor does a mark on a stage help. */
    @Test
    void theRemedyOfASkipCanBeFollowed() {
        assertThat(failure(PrimitiveSkip.class).remedy())
                .contains("return Integer marked @Nullable (org.jspecify.annotations)");
        assertThat(failure(PrimitiveLeader.class).remedy())
                .contains("return Integer marked @Nullable (org.jspecify.annotations)");
        assertThat(failure(ObjectSkip.class).remedy()).contains("mark the type @Nullable (org.jspecify.annotations)");
        assertThat(failure(StageSkip.class).remedy()).doesNotContain("@Nullable");
        new AnnotationConfigApplicationContext(LocksInMemory.class, WrapperSkip.class, WrapperLeader.class).close();
    }

    private static void assertFails(Class<?> bean, String reason) {
        InvalidLockedMethodException invalid = failure(bean);
        assertThat(invalid.problem())
                .contains(PlantedFaultsTest.class.getName())
                .contains(reason);
        assertThat(invalid.remedy()).isNotEmpty();
    }

    private static InvalidLockedMethodException failure(Class<?> bean) {
        Throwable failure = catchThrowable(() -> new AnnotationConfigApplicationContext(LocksInMemory.class, bean));
        InvalidLockedMethodException invalid = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidLockedMethodException found) {
                invalid = found;
            }
        }
        assertThat(invalid).as("%s: %s", bean.getSimpleName(), failure).isNotNull();
        return invalid;
    }
}
