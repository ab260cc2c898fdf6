package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The arrows between the files of the module make no large circle. */
class ArchitectureTest {

    private static final int MOST_FILES_IN_A_CYCLE = 9;

    @Test
    @DisplayName("no more than nine files depend on each other in a cycle")
    void cyclesAreSmall() {
        Map<String, Set<String>> arrows = arrows();
        Map<String, Set<String>> reached = new HashMap<>();
        arrows.keySet().forEach(file -> reached.put(file, reachedFrom(file, arrows)));
        for (String file : arrows.keySet()) {
            Set<String> cycle = new TreeSet<>(reached.getOrDefault(file, Set.of()));
            cycle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(file));
            assertThat(cycle)
                    .as("the files that %s is in a cycle with", file)
                    .hasSizeLessThanOrEqualTo(MOST_FILES_IN_A_CYCLE);
        }
    }

    /** Returns for each file, by the name of its outermost class, which others it depends on. */
    private static Map<String, Set<String>> arrows() {
        String home = ArchitectureTest.class.getPackageName();
        Map<String, Set<String>> arrows = new HashMap<>();
        for (JavaClass each : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(home)) {
            Set<String> others = arrows.computeIfAbsent(file(each), none -> new TreeSet<>());
            each.getDirectDependenciesFromSelf().stream()
                    .map(arrow -> arrow.getTargetClass().getBaseComponentType())
                    .filter(target -> target.getPackageName().equals(home))
                    .map(ArchitectureTest::file)
                    .forEach(others::add);
        }
        return arrows;
    }

    private static String file(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> arrows) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(arrows.getOrDefault(start, Set.of()));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (reached.add(next)) {
                open.addAll(arrows.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }
}
