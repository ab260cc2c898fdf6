package dev.leasehold.engine;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.leasehold.architecture.Rooms;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The rooms of the engine have these arrows between them. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.engine")
            .room("threads")
            .room("queue")
            .room("observation")
            .room("jfr")
            .room("", "queue", "threads", "observation", "jfr")
            .room("election", "", "queue", "threads")
            .room("set", "", "queue", "threads");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }

    @Test
    void theQueueUsesNoThreadAndNoClock() {
        JavaClasses all = new ClassFileImporter().importPath(Path.of("target", "classes"));
        noClasses()
                .that(resideInAPackage("dev.leasehold.engine.queue"))
                .should()
                .dependOnClassesThat(assignableTo(Executor.class))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(Thread.class)))
                        .and(target(nameMatching("start|sleep|currentThread|interrupt|join"))))
                .orShould()
                .callMethodWhere(target(nameMatching("nanoTime|currentTimeMillis|now|schedule"))
                        .and(target(owner(resideInAPackage("java..")))))
                .check(all);
    }
}
