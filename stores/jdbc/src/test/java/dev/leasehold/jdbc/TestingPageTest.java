package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests in docs/testing.md compile with the imports that the page shows, and are green. */
@Tag("slow")
class TestingPageTest {

    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\\n");

    @TempDir
    Path directory;

    @Test
    void itsTestsAreGreen() throws Exception {
        StringBuilder imports = new StringBuilder();
        StringBuilder members = new StringBuilder();
        for (String block : Pages.javaIn("docs/testing.md")) {
            IMPORT.matcher(block).results().forEach(found -> imports.append(found.group()));
            String rest = IMPORT.matcher(block).replaceAll("").strip();
            members.append(rest.startsWith("class ") ? "static " : "")
                    .append(rest)
                    .append('\n');
        }
        Pages.compileClass("Examples", imports + "class Examples {\n" + members + "}\n", directory);
        int run = 0;
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Class<?> examples = loader.loadClass("Examples");
            Constructor<?> constructor = examples.getDeclaredConstructor();
            constructor.setAccessible(true);
            for (Method method : examples.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    method.setAccessible(true);
                    method.invoke(constructor.newInstance());
                    run++;
                }
            }
        }
        assertThat(run).isEqualTo(6);
    }
}
