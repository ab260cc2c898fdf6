package dev.leasehold;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.leasehold.architecture.Rooms;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The architecture has these arrows: API → engine → spi ← stores; and a few habits. */
class ArchitectureTest {
    private static final String API = "dev.leasehold";
    private static final String SHOWN = "dev.leasehold.[doctor|inspect|observe]";
    private static final String SPI = "dev.leasehold.spi..";
    private static final String ENGINE = "dev.leasehold.engine..";
    private static final String MEMORY = "dev.leasehold.memory..";
    private static final String INTERNAL = "dev.leasehold.internal..";
    private static final String[] OUTSIDE = {"java..", "jdk.jfr..", "org.jspecify.."};

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPath(Path.of("target", "classes"));

    @Test
    void theCoreStandsOnTheJdkAlone() {
        check(classes()
                .should()
                .onlyDependOnClassesThat(in(OUTSIDE).or(in("dev.leasehold..")).or(arraysOfPrimitives())));
    }

    @Test
    void noLargeKnots() {
        new Rooms("dev.leasehold").checkKnots();
    }

    @Test
    void theContractForStoresKnowsNeitherTheEngineNorAStore() {
        check(noClasses().that(in(SPI)).should().dependOnClassesThat(in(ENGINE, MEMORY)));
    }

    @Test
    void theContractForStoresUsesOnlyValuesOfTheApi() {
        check(noClasses()
                .that(in(SPI))
                .should()
                .dependOnClassesThat(in(API, SHOWN).and(areNoValues())));
    }

    @Test
    void onlyTheClientAndItsBuilderKnowTheEngine() {
        check(noClasses()
                .that(in(API, SHOWN).and(not(makeTheClient())))
                .should()
                .dependOnClassesThat(in(ENGINE)));
    }

    @Test
    void theEngineKnowsNeitherTheClientNorItsBuilder() {
        check(noClasses().that(in(ENGINE)).should().dependOnClassesThat(makeTheClient()));
    }

    /** All names of a client share its timers: a caller that is stopped inside must hold nothing that others need. */
    @Test
    void timersTakeNoLock() {
        check(noClasses()
                .that(nameMatching(".*\\.threads\\.(TimerQueue|Timers|SystemTime).*"))
                .should()
                .dependOnClassesThat(assignableTo(Lock.class).or(assignableTo(Executor.class))));
    }

    @Test
    void whatOurModulesShareKnowsNothingElse() {
        check(classes()
                .that(in(INTERNAL))
                .should()
                .onlyDependOnClassesThat(in(OUTSIDE).or(in(INTERNAL)).or(arraysOfPrimitives())));
    }

    @Test
    void theEngineAndTheApiKnowNoStore() {
        check(noClasses().that(in(API, SHOWN, ENGINE)).should().dependOnClassesThat(in(MEMORY)));
    }

    @Test
    void aStoreKnowsItsContractAndNotTheEngine() {
        check(classes()
                .that(in(MEMORY))
                .should()
                .onlyDependOnClassesThat(
                        in(OUTSIDE).or(in(API, SHOWN, SPI, INTERNAL, MEMORY)).or(arraysOfPrimitives())));
    }

    @Test
    void onlyTheEngineImplementsTheApi() {
        check(classes().that(implementTheApi()).should().resideInAPackage(ENGINE));
    }

    @Test
    void noMethodIsSynchronized() {
        check(methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED));
    }

    @Test
    void nothingIsIdentifiedByAThreadId() {
        check(noClasses()
                .should()
                .callMethodWhere(
                        target(nameMatching("getId|threadId")).and(target(owner(assignableTo(Thread.class))))));
    }

    @Test
    void theLogIsTheSystemLogger() {
        check(noClasses().should().dependOnClassesThat(in("java.util.logging..")));
        check(noClasses().should().accessField(System.class, "out"));
        check(noClasses().should().accessField(System.class, "err"));
        check(noClasses().should().callMethod(Throwable.class, "printStackTrace"));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CORE);
    }

    private static DescribedPredicate<JavaClass> in(String... packages) {
        return JavaClass.Predicates.resideInAnyPackage(packages);
    }

    private static DescribedPredicate<JavaClass> arraysOfPrimitives() {
        return describe(
                "arrays of primitives", type -> type.getBaseComponentType().isPrimitive());
    }

    /** The two types of the API that put a client together, out of the engine's parts. */
    private static DescribedPredicate<JavaClass> makeTheClient() {
        return describe("are the client or its builder", type -> {
            String file = type.getName().replaceFirst("\\$.*", "");
            return file.equals(API + ".Leasehold") || file.equals(API + ".LeaseholdBuilder");
        });
    }

    private static DescribedPredicate<JavaClass> areNoValues() {
        return describe(
                "are no values",
                type -> !type.isRecord() && !type.isEnum() && !type.isAssignableTo(RuntimeException.class));
    }

    private static DescribedPredicate<JavaClass> implementTheApi() {
        return describe(
                "implement an interface of the API",
                type -> !type.isInterface()
                        && type.getAllRawInterfaces().stream()
                                .anyMatch(api -> api.getPackageName().equals(API)));
    }
}
