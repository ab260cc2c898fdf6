package dev.leasehold.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What editors know of the properties, and where Spring Boot finds the auto-configurations. */
class MetadataTest {

    private static final String METADATA = "target/classes/META-INF/spring-configuration-metadata.json";
    private static final String IMPORTS =
            "src/main/resources/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    @Test
    void propertiesAreInTheMetadata() throws IOException {
        String metadata = Files.readString(Path.of(METADATA));
        assertThat(metadata).contains("\"leasehold.store.uri\"");
        assertThat(metadata).contains("\"leasehold.store.jdbc.own-pool\"");
        assertThat(metadata).contains("\"leasehold.shutdown.wait-time\"");
    }

    @Test
    void everyAutoConfigurationIsNamed() throws IOException {
        String imports = Files.readString(Path.of(IMPORTS));
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith("AutoConfiguration.java")) {
                    assertThat(imports).contains("." + name.replace(".java", ""));
                }
            }
        }
    }
}
