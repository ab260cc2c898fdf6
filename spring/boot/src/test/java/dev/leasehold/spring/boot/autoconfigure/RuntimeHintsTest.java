package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.JdbcStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** These tests show that the hints have what a native image needs. They do not try whether an image runs. */
class RuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    RuntimeHintsTest() {
        new LeaseholdRuntimeHints().registerHints(hints, null);
    }

    @Test
    void allScriptsAndSchemasAreKept() throws Exception {
        List<String> scripts = resources("dev/leasehold/redis/", ".lua");
        List<String> schemas = resources("dev/leasehold/jdbc/schema/", ".sql");
        assertThat(scripts).isNotEmpty();
        assertThat(schemas).isNotEmpty();
        Stream.concat(scripts.stream(), schemas.stream())
                .forEach(name -> assertThat(RuntimeHintsPredicates.resource().forResource(name))
                        .as(name)
                        .accepts(hints));
    }

    @Test
    void theProvidersOfStoresAreFound() {
        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/services/dev.leasehold.spi.StoreProvider"))
                .accepts(hints);
    }

    /** Their absence would say that a module is missing. */
    @Test
    void theClassesOfStoresAreFound() {
        assertThat(RuntimeHintsPredicates.reflection().onType(JdbcStore.class)).accepts(hints);
    }

    private static List<String> resources(String directory, String ending) throws Exception {
        URI uri = RuntimeHintsTest.class.getClassLoader().getResource(directory).toURI();
        if (uri.getScheme().equals("jar")) {
            try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
                return names(jar.getPath(directory), directory, ending);
            }
        }
        return names(Path.of(uri), directory, ending);
    }

    private static List<String> names(Path path, String directory, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .map(file -> directory + path.relativize(file))
                    .toList();
        }
    }
}
