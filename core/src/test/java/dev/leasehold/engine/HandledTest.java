package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.InstanceofCheck;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.leasehold.engine.queue.Action;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.queue.LocalQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** These tests are about events and actions, of which none is forgotten where they are told apart by their types. */
class HandledTest {

    @Test
    void theQueueHandlesEveryEvent() {
        // After each event the queue looks at its whole state, and these two ask for nothing else.
        assertThat(kinds(Event.class).filter(kind -> !kind.endsWith("Wake") && !kind.endsWith("Look")))
                .isNotEmpty()
                .isSubsetOf(toldApartIn(LocalQueue.class).toList());
    }

    @Test
    void theRunnerPerformsEveryAction() {
        assertThat(kinds(Action.class))
                .isNotEmpty()
                .isSubsetOf(toldApartIn(QueueRunner.class).toList());
    }

    private static Stream<String> kinds(Class<?> sealed) {
        return Stream.of(sealed.getPermittedSubclasses()).map(Class::getName);
    }

    private static Stream<String> toldApartIn(Class<?> handler) {
        return new ClassFileImporter()
                .importClass(handler).getInstanceofChecks().stream()
                        .map(InstanceofCheck::getRawType)
                        .map(type -> type.getName());
    }
}
