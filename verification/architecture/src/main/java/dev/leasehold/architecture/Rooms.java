package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The rooms of a module are its packages; this says which of them may use which. A room is named after those that it uses,
 * so that no cycle can be written down. An arrow that is not written fails the test, and so does one that is written and not
 * there.
 */
public final class Rooms {

    /** The greatest number of files that may depend on each other in a circle. */
    private static final int LARGEST_KNOT = 9;

    private final JavaClasses classes = ArchConfiguration.withThreadLocalScope(settings -> {
        // The names of others' classes are enough, and reading them takes seconds.
        settings.setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter().importPath(Path.of("target", "classes"));
    });
    private final String face;
    private final Map<String, Set<String>> allowed = new LinkedHashMap<>();

    /** Rooms in the module under test, below the package {@code face}; the face itself is the room {@code ""}. */
    public Rooms(String face) {
        this.face = face;
    }

    /** Adds a room and all those that it uses. */
    public Rooms room(String name, String... uses) {
        assertThat(allowed.keySet()).as("a room comes after those that it uses").containsAll(List.of(uses));
        allowed.put(name, Set.of(uses));
        return this;
    }

    /** Fails where the code has other rooms or other arrows than these. */
    public void checkArrows() {
        Map<String, Set<String>> seen = new TreeMap<>();
        Map<String, String> examples = new TreeMap<>();
        for (JavaClass type : classes) {
            if (isOurs(type)) {
                seen.computeIfAbsent(room(type), room -> new TreeSet<>());
            }
        }
        arrows((from, to) -> {
            if (!room(from).equals(room(to))) {
                seen.get(room(from)).add(room(to));
                examples.putIfAbsent(room(from) + " -> " + room(to), file(from) + " -> " + file(to));
            }
        });
        assertThat(seen)
                .as("rooms below %s and what each uses; for example %s", face, examples)
                .containsExactlyInAnyOrderEntriesOf(allowed);
    }

    /** Fails where more than nine files of one room depend on each other in a circle. */
    public void checkKnots() {
        Map<String, Set<String>> uses = new TreeMap<>();
        arrows((from, to) -> {
            if (room(from).equals(room(to)) && !file(from).equals(file(to))) {
                uses.computeIfAbsent(file(from), file -> new TreeSet<>()).add(file(to));
            }
        });
        Map<String, Set<String>> reached =
                uses.keySet().stream().collect(Collectors.toMap(file -> file, file -> reachedFrom(file, uses)));
        for (String file : reached.keySet()) {
            List<String> knot = reached.get(file).stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(file))
                    .toList();
            assertThat(knot).as("files that depend on each other in a circle").hasSizeLessThanOrEqualTo(LARGEST_KNOT);
        }
    }

    /** Fails where a room depends on a type of a package that begins with one of these names. */
    public void checkKnowsNone(String room, String... packages) {
        for (JavaClass type : classes) {
            if (isOurs(type) && room(type).equals(room)) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    String target =
                            dependency.getTargetClass().getBaseComponentType().getPackageName();
                    assertThat(List.of(packages))
                            .as("%s", dependency.getDescription())
                            .noneMatch(name -> target.equals(name) || target.startsWith(name + "."));
                }
            }
        }
    }

    private static Set<String> reachedFrom(String file, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> todo = new ArrayDeque<>(List.of(file));
        while (!todo.isEmpty()) {
            for (String used : uses.getOrDefault(todo.pop(), Set.of())) {
                if (reached.add(used)) {
                    todo.push(used);
                }
            }
        }
        return reached;
    }

    private void arrows(BiConsumer<JavaClass, JavaClass> arrow) {
        for (JavaClass type : classes) {
            if (isOurs(type)) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (isOurs(target) && classes.contain(target.getName())) {
                        arrow.accept(type, target);
                    }
                }
            }
        }
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(face) || type.getPackageName().startsWith(face + ".");
    }

    private String room(JavaClass type) {
        return type.getPackageName().equals(face) ? "" : type.getPackageName().substring(face.length() + 1);
    }

    /** Names the file of a type; a nested type stands in the file of the outermost. */
    private static String file(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
