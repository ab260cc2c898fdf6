package dev.leasehold.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * These tests show results that a controller may return whose work Spring MVC does after the method has returned, and
 * so without its lock.
 */
class WebResultsTest {

    static class Deferred {
        @Locked("a")
        DeferredResult<String> method() {
            return new DeferredResult<>();
        }
    }

    static class Task {
        @Locked("a")
        WebAsyncTask<String> method() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class Emitter {
        @Locked("a")
        SseEmitter method() {
            return new SseEmitter();
        }
    }

    static class Streaming {
        @Locked("a")
        ResponseEntity<StreamingResponseBody> method() {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class Leading {
        @LeaderOnly
        Optional<DeferredResult<String>> method() {
            return Optional.empty();
        }
    }

    static class Whole {
        @Locked("a")
        ResponseEntity<String> method() {
            return ResponseEntity.ok("whole");
        }
    }

    static class Anything {
        @Locked(name = "anything", maxWait = "0s")
        public <T> T give(T result) {
            return result;
        }
    }

    private static AnnotationConfigApplicationContext start(Class<?> bean) {
        return new AnnotationConfigApplicationContext(LocksInMemory.class, bean);
    }

    private static String reason(Class<?> bean) {
        BeanCreationException failure = catchThrowableOfType(
                BeanCreationException.class, () -> start(bean).close());
        assertThat(failure).as(bean.getSimpleName()).isNotNull();
        assertThat(failure.getRootCause()).isInstanceOf(InvalidLockedMethodException.class);
        return String.valueOf(failure.getRootCause().getMessage());
    }

    @Test
    void theyFailTheStart() {
        assertThat(reason(Deferred.class)).contains("returns a DeferredResult").contains("CompletableFuture");
        assertThat(reason(Task.class)).contains("returns a WebAsyncTask");
        assertThat(reason(Emitter.class)).contains("returns a ResponseBodyEmitter");
        assertThat(reason(Streaming.class)).contains("returns a StreamingResponseBody");
        assertThat(reason(Leading.class)).contains("returns a DeferredResult");
    }

    @Test
    void behindAnOpenTypeTheyFailTheCall() {
        try (AnnotationConfigApplicationContext context = start(Anything.class)) {
            Anything anything = context.getBean(Anything.class);
            StreamingResponseBody streaming = out -> {};
            for (Object late : List.of(
                    new DeferredResult<String>(),
                    new WebAsyncTask<>(() -> ""),
                    new ResponseBodyEmitter(),
                    ResponseEntity.ok(streaming),
                    streaming)) {
                assertThatThrownBy(() -> anything.give(late))
                        .as(late.getClass().getSimpleName())
                        .isInstanceOf(InvalidLockedMethodException.class)
                        .hasMessageContaining("without the lock");
            }
            assertThat(anything.give(ResponseEntity.ok("whole"))).isEqualTo(ResponseEntity.ok("whole"));
        }
    }

    @Test
    void aWholeResponseIsFine() {
        try (AnnotationConfigApplicationContext context = start(Whole.class)) {
            assertThat(context.getBean(Whole.class).method().getBody()).isEqualTo("whole");
        }
    }
}
