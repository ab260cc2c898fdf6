package dev.leasehold.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Signatures are what users of a module compile against: its public types in exported packages, and what is visible of them.
 */
public final class Signatures {

    private Signatures() {}

    /** Lists the signatures of the module under test, sorted, a line each. */
    public static String of(String... exportedPackages) {
        List<String> exported = Arrays.asList(exportedPackages);
        Set<String> lines = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter().importPath(Path.of("target", "classes"))) {
            if (exported.contains(type.getPackageName())) {
                add(type.reflect(), lines);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private static void add(Class<?> type, Set<String> lines) {
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            if (!isVisible(at.getModifiers()) || at.isAnonymousClass() || at.isLocalClass()) {
                return;
            }
        }
        lines.add(type.getName() + " = " + text(type) + heritage(type));
        Stream<Executable> callable =
                Stream.concat(Arrays.stream(type.getDeclaredConstructors()), Arrays.stream(type.getDeclaredMethods()));
        callable.filter(Signatures::isUsers).forEach(one -> lines.add(type.getName() + " : " + text(one)));
        Arrays.stream(type.getDeclaredFields())
                .filter(Signatures::isUsers)
                .forEach(one -> lines.add(type.getName() + " : " + text(one)));
    }

    /** JDKs differ in whether they say of themselves that a type is sealed. */
    private static String text(Class<?> type) {
        String plain = type.toGenericString().replace("non-sealed ", "").replace("sealed ", "");
        return (type.isSealed() ? "sealed " : "") + plain;
    }

    private static String heritage(Class<?> type) {
        String parent = type.getGenericSuperclass() == null ? "" : " extends " + type.getGenericSuperclass();
        return parent
                + (type.getGenericInterfaces().length == 0
                        ? ""
                        : " implements " + Arrays.toString(type.getGenericInterfaces()));
    }

    private static String text(Member member) {
        return member instanceof Method method
                ? method.toGenericString()
                : member instanceof Constructor<?> constructor
                        ? constructor.toGenericString()
                        : ((Field) member).toGenericString();
    }

    private static boolean isUsers(Member member) {
        return isVisible(member.getModifiers()) && !member.isSynthetic();
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
