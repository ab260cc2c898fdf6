package dev.leasehold.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
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

    static class PrimitiveSkip {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        int method() {
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
        assertFails(ReactiveHold.class, "for methods that block");
        assertFails(ReactiveLeader.class, "for methods that block");
        assertFails(PrimitiveLeader.class, "onFollower = SKIP needs");
    }

    private static void assertFails(Class<?> bean, String reason) {
        Throwable failure = catchThrowable(() -> new AnnotationConfigApplicationContext(LocksInMemory.class, bean));
        InvalidLockedMethodException invalid = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidLockedMethodException found) {
                invalid = found;
            }
        }
        assertThat(invalid).as("%s: %s", bean.getSimpleName(), failure).isNotNull();
        assertThat(invalid.problem()).contains(bean.getName()).contains(reason);
        assertThat(invalid.remedy()).isNotEmpty();
    }
}
