package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import io.micrometer.context.ContextRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.task.TaskDecorator;

/** The context of the caller's thread goes along to the thread that calls the body of a stage. */
class CallContextTest {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    static class Shop {

        @Locked("stage")
        CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName() + " of " + USER.get());
        }

        @Locked("failing")
        CompletableFuture<String> failing() {
            throw new IllegalStateException("failed for " + USER.get());
        }
    }

    private static TaskDecorator decorator() {
        return task -> {
            String user = USER.get();
            return () -> {
                USER.set(user);
                try {
                    task.run();
                } finally {
                    USER.remove();
                }
            };
        };
    }

    /** The library knows which thread locals go along, so an application with it declares no decorator. */
    @Test
    void withoutADecoratorItsLibraryBringsTheContext() throws Exception {
        ContextRegistry registry = ContextRegistry.getInstance().registerThreadLocalAccessor("user", USER);
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(LocksInMemory.class, Shop.class)) {
            USER.set("ann");
            Lease other = context.getBean(Leasehold.class).lock("stage").acquire();
            CompletableFuture<String> stage = context.getBean(Shop.class).stage();
            other.close();
            assertThat(stage.get(A_MINUTE, TimeUnit.SECONDS))
                    .as("on a thread of the client's")
                    .startsWith("leasehold-")
                    .endsWith(" of ann");
        } finally {
            USER.remove();
            registry.removeThreadLocalAccessor("user");
        }
    }

    @Test
    void theDecoratorOfTasksDecoratesBodies() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(LocksInMemory.class, Shop.class);
            context.registerBean(TaskDecorator.class, CallContextTest::decorator);
            context.refresh();
            Shop shop = context.getBean(Shop.class);
            USER.set("ann");
            Lease other = context.getBean(Leasehold.class).lock("stage").acquire();
            CompletableFuture<String> stage = shop.stage();
            other.close();
            assertThat(stage.get(A_MINUTE, TimeUnit.SECONDS))
                    .as("on a thread of the client's")
                    .startsWith("leasehold-")
                    .endsWith(" of ann");
            assertThat(shop.failing()
                            .handle((done, failure) -> String.valueOf(failure))
                            .get(A_MINUTE, TimeUnit.SECONDS))
                    .contains("failed for ann");
        } finally {
            USER.remove();
        }
    }
}
